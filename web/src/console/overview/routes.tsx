import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import type { Parent } from "../shell/route";

export const overviewRoutes = <P extends Parent>(root: P) => [
  createRoute({
    getParentRoute: () => root,
    path: "/",
    component: lazyRouteComponent(() => import("./OverviewPage"), "OverviewPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/welcome",
    component: lazyRouteComponent(() => import("./WelcomePage"), "WelcomePage"),
  }),
] as const;
