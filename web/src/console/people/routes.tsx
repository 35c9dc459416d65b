import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import type { Parent } from "../shell/route";

export const peopleRoutes = <P extends Parent>(root: P) => [
  createRoute({
    getParentRoute: () => root,
    path: "/people",
    component: lazyRouteComponent(() => import("./PeoplePage"), "PeoplePage"),
  }),
] as const;
