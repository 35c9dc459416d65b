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
      path: "/people/staff",
      validateSearch: validateList("role", "active"),
      component: lazyPage(() => import("./PeoplePage"), "StaffPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/people/invitations",
      validateSearch: validateList(),
      component: lazyPage(() => import("./InvitationsPage"), "InvitationsPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/people/roles",
      component: lazyPage(() => import("./RolesPage"), "RolesPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/people/roles/new",
      component: lazyPage(() => import("./RolePage"), "NewRolePage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/people/roles/$name",
      component: lazyPage(() => import("./RolePage"), "RolePage"),
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
