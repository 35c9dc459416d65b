import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "../kit/lazyPage";
import { validateList } from "../kit/useListSearch";
import type { Parent } from "../shell/route";

export const eventsRoutes = <P extends Parent>(root: P) =>
  [
    createRoute({
      getParentRoute: () => root,
      path: "/events",
      validateSearch: validateList("actor", "action", "target", "from", "to"),
      component: lazyPage(() => import("./AuditPage"), "AuditPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/events/webhooks",
      validateSearch: validateList(),
      component: lazyPage(() => import("./WebhooksPage"), "WebhooksPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/events/webhooks/new",
      component: lazyPage(() => import("./NewWebhookPage"), "NewWebhookPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/events/webhooks/$id",
      validateSearch: validateList("state"),
      component: lazyPage(() => import("./WebhookPage"), "WebhookPage"),
    }),
  ] as const;
