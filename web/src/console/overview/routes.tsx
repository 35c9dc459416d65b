import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "../kit/lazyPage";
import type { Parent } from "../shell/route";
import { readAhead } from "./data";

export const overviewRoutes = <P extends Parent>(root: P) =>
  [
    createRoute({
      getParentRoute: () => root,
      path: "/",
      loader: () => void readAhead(),
      component: lazyPage(() => import("./OverviewPage"), "OverviewPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/welcome",
      component: lazyPage(() => import("./WelcomePage"), "WelcomePage"),
    }),
  ] as const;
