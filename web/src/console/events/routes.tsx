import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import type { Parent } from "../shell/route";

export const eventsRoutes = <P extends Parent>(root: P) => [
  createRoute({
    getParentRoute: () => root,
    path: "/events",
    component: lazyRouteComponent(() => import("./EventsPage"), "EventsPage"),
  }),
] as const;
