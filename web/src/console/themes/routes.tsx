import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import type { Parent } from "../shell/route";

export const themesRoutes = <P extends Parent>(root: P) => [
  createRoute({
    getParentRoute: () => root,
    path: "/themes",
    component: lazyRouteComponent(() => import("./ThemesPage"), "ThemesPage"),
  }),
] as const;
