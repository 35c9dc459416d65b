import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { validateList } from "../kit/useListSearch";
import type { Parent } from "../shell/route";

export const pluginsRoutes = <P extends Parent>(root: P) =>
  [
    createRoute({
      getParentRoute: () => root,
      path: "/plugins",
      validateSearch: validateList("runtimeType"),
      component: lazyRouteComponent(() => import("./PluginsPage"), "PluginsPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/plugins/deliveries",
      validateSearch: validateList("plugin", "state"),
      component: lazyRouteComponent(() => import("./DeliveriesPage"), "DeliveriesPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/plugins/$slug",
      validateSearch: validateList("view", "state"),
      component: lazyRouteComponent(() => import("./PluginPage"), "PluginPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/plugins/$slug/$installationId",
      validateSearch: validateList("view", "state"),
      component: lazyRouteComponent(() => import("./InstancePage"), "InstancePage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/plugins/$slug/$installationId/admin",
      component: lazyRouteComponent(() => import("./AdminPage"), "AdminPage"),
    }),
  ] as const;
