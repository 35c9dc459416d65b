import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { validateList } from "../kit/useListSearch";
import type { Parent } from "../shell/route";

export const themesRoutes = <P extends Parent>(root: P) =>
  [
    createRoute({
      getParentRoute: () => root,
      path: "/themes",
      validateSearch: validateList("target", "app"),
      component: lazyRouteComponent(() => import("./ThemesPage"), "ThemesPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/themes/$kind/$slug",
      validateSearch: validateList("version"),
      component: lazyRouteComponent(() => import("./ThemePage"), "ThemePage"),
    }),
  ] as const;
