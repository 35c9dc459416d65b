import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import type { Parent } from "../shell/route";

export const settingsRoutes = <P extends Parent>(root: P) => [
  createRoute({
    getParentRoute: () => root,
    path: "/settings",
    component: lazyRouteComponent(() => import("./SettingsPage"), "SettingsPage"),
  }),
] as const;
