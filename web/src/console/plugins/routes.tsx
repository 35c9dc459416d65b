import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import type { Parent } from "../shell/route";

export const pluginsRoutes = <P extends Parent>(root: P) => [
  createRoute({
    getParentRoute: () => root,
    path: "/plugins",
    component: lazyRouteComponent(() => import("./PluginsPage"), "PluginsPage"),
  }),
] as const;
