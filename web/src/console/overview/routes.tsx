import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import type { Parent } from "../shell/route";
import { readAhead } from "./data";

export const overviewRoutes = <P extends Parent>(root: P) =>
  [
    createRoute({
      getParentRoute: () => root,
      path: "/",
      loader: () => void readAhead(),
      component: lazyRouteComponent(() => import("./OverviewPage"), "OverviewPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/welcome",
      component: lazyRouteComponent(() => import("./WelcomePage"), "WelcomePage"),
    }),
  ] as const;
