import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import type { Parent } from "../shell/route";

export const shopRoutes = <P extends Parent>(root: P) => [
  createRoute({
    getParentRoute: () => root,
    path: "/shop",
    component: lazyRouteComponent(() => import("./ShopPage"), "ShopPage"),
  }),
] as const;
