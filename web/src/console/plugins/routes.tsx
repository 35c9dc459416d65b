import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "../kit/lazyPage";
import { validateList } from "../kit/useListSearch";
import type { Parent } from "../shell/route";

export const pluginsRoutes = <P extends Parent>(root: P) =>
  [
    createRoute({
      getParentRoute: () => root,
      path: "/plugins",
      validateSearch: validateList("runtimeType"),
      component: lazyPage(() => import("./PluginsPage"), "PluginsPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/plugins/deliveries",
      validateSearch: validateList("plugin", "state"),
      component: lazyPage(() => import("./DeliveriesPage"), "DeliveriesPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/plugins/$slug",
      validateSearch: validateList("view", "state"),
      component: lazyPage(() => import("./PluginPage"), "PluginPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/plugins/$slug/$installationId",
      validateSearch: validateList("view", "state"),
      component: lazyPage(() => import("./InstancePage"), "InstancePage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/plugins/$slug/$installationId/admin",
      component: lazyPage(() => import("./AdminPage"), "AdminPage"),
    }),
  ] as const;
