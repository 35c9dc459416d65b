import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { validateList } from "../kit/useListSearch";
import type { Parent } from "../shell/route";

export const peopleRoutes = <P extends Parent>(root: P) =>
  [
    createRoute({
      getParentRoute: () => root,
      path: "/people",
      validateSearch: validateList("role", "active"),
      component: lazyRouteComponent(() => import("./PeoplePage"), "PeoplePage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/people/$id",
      component: lazyRouteComponent(() => import("./PersonPage"), "PersonPage"),
    }),
  ] as const;
