// What the pages of webhooks ask and change.
import { api, data, ok, type Schemas, type Sorts } from "../../api/client";
import type { ListSearch } from "../kit/useListSearch";

export type Webhook = Schemas["Webhook"];
export type Delivery = Schemas["WebhookDelivery"];
export type DeliveryState = Schemas["DeliveryState"];

export const key = ["events", "webhooks"];

// The types that stoa itself tells; "order.*" stands for all of a subject.
export const eventTypes = [
  "user.registered",
  "user.email_verified",
  "user.email_changed",
  "user.role_changed",
  "user.deleted",
  "order.paid",
  "order.refunded",
  "order.partly_refunded",
  "order.cancelled",
  "license.issued",
  "license.activated",
  "license.deactivated",
  "license.revoked",
  "license.renewed",
  "license.changed",
  "license.expired",
  "trial.started",
  "trial.ended",
  "extension.installed",
  "extension.upgraded",
  "extension.uninstalled",
  "instance.enabled",
  "instance.disabled",
] as const;

const at = (id: string) => ({ params: { path: { id } } });

export const listWebhooks = ({ page = 1, q, sort }: ListSearch) =>
  data(
    api.GET("/api/v1/admin/webhooks", {
      params: {
        query: {
          page,
          limit: 50,
          ...(q ? { q } : {}),
          ...(sort ? { sort: sort as Sorts<"/api/v1/admin/webhooks"> } : {}),
        },
      },
    }),
  );
export const getWebhook = (id: string) => data(api.GET("/api/v1/admin/webhooks/{id}", at(id)));
export const createWebhook = (body: Schemas["WebhookInput"]) => data(api.POST("/api/v1/admin/webhooks", { body }));
export const changeWebhook = (id: string, body: Schemas["WebhookChange"]) =>
  data(api.PATCH("/api/v1/admin/webhooks/{id}", { ...at(id), body }));
export const deleteWebhook = (id: string) => ok(api.DELETE("/api/v1/admin/webhooks/{id}", at(id)));
export const rotateSecret = (id: string) => data(api.POST("/api/v1/admin/webhooks/{id}/secret/rotate", at(id)));
export const testWebhook = (id: string) => data(api.POST("/api/v1/admin/webhooks/{id}/test", at(id)));
export const replaySince = (id: string, since: string) =>
  data(api.POST("/api/v1/admin/webhooks/{id}/replay", { ...at(id), body: { since } }));
export const replayDelivery = (deliveryId: string) =>
  data(api.POST("/api/v1/admin/webhooks/deliveries/{deliveryId}/replay", { params: { path: { deliveryId } } }));
export const listDeliveries = (id: string, page: number, state?: DeliveryState) =>
  data(
    api.GET("/api/v1/admin/webhooks/{id}/deliveries", {
      params: { path: { id }, query: { page, limit: 20, ...(state ? { state } : {}) } },
    }),
  );
