import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "../kit/lazyPage";
import { validateList } from "../kit/useListSearch";
import type { Parent } from "../shell/route";

export const peopleRoutes = <P extends Parent>(root: P) =>
  [
    createRoute({
      getParentRoute: () => root,
      path: "/people",
      validateSearch: validateList("role", "active"),
      component: lazyPage(() => import("./PeoplePage"), "PeoplePage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/people/seen",
      component: lazyPage(() => import("./Seen"), "SeenPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/people/$id",
      component: lazyPage(() => import("./PersonPage"), "PersonPage"),
    }),
  ] as const;
