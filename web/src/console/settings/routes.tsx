import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import type { Parent } from "../shell/route";

export const settingsRoutes = <P extends Parent>(root: P) =>
  [
    createRoute({
      getParentRoute: () => root,
      path: "/settings",
      component: lazyRouteComponent(() => import("./GeneralPage"), "GeneralPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/settings/packages",
      component: lazyRouteComponent(() => import("./PackagesPage"), "PackagesPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/settings/payments",
      component: lazyRouteComponent(() => import("./PaymentsPage"), "PaymentsPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/settings/keys",
      component: lazyRouteComponent(() => import("./KeysPage"), "KeysPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/settings/health",
      component: lazyRouteComponent(() => import("./HealthPage"), "HealthPage"),
    }),
  ] as const;
