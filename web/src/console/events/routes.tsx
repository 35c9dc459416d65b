import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { validateList } from "../kit/useListSearch";
import type { Parent } from "../shell/route";

export const eventsRoutes = <P extends Parent>(root: P) =>
  [
    createRoute({
      getParentRoute: () => root,
      path: "/events",
      validateSearch: validateList("actor", "action", "target", "from", "to"),
      component: lazyRouteComponent(() => import("./AuditPage"), "AuditPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/events/webhooks",
      validateSearch: validateList(),
      component: lazyRouteComponent(() => import("./WebhooksPage"), "WebhooksPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/events/webhooks/new",
      component: lazyRouteComponent(() => import("./NewWebhookPage"), "NewWebhookPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/events/webhooks/$id",
      validateSearch: validateList("state"),
      component: lazyRouteComponent(() => import("./WebhookPage"), "WebhookPage"),
    }),
  ] as const;
