import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "../kit/lazyPage";
import { validateList } from "../kit/useListSearch";
import type { Parent } from "../shell/route";

export const themesRoutes = <P extends Parent>(root: P) =>
  [
    createRoute({
      getParentRoute: () => root,
      path: "/themes",
      validateSearch: validateList("target", "app"),
      component: lazyPage(() => import("./ThemesPage"), "ThemesPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/themes/$kind/$slug",
      validateSearch: validateList("version"),
      component: lazyPage(() => import("./ThemePage"), "ThemePage"),
    }),
  ] as const;
