// Where to go for what wants attention.
import type { Schemas } from "../../api/client";

export type Concern = Schemas["Concern"];

export const addressOf = (c: Concern): string => {
  switch (c.kind) {
    case "webhook.deliveries_dead":
    case "webhook.failing":
    case "webhook.disabled":
      return `/events/webhooks/${c.webhookId ?? ""}`;
    case "instance.failing":
    case "instance.failed":
      return `/plugins/${c.slug ?? ""}/${c.installationId ?? ""}`;
    case "plugin.deliveries_dead":
    case "plugin.deliveries_failing":
    case "plugin.not_told":
      return `/plugins/${c.slug ?? ""}`;
    case "plugin.asks_for_more":
      return `/plugins/${c.slug ?? ""}/${c.installationId ?? ""}?view=permissions`;
    case "orders.pending":
      return "/shop/orders?status=pending";
    case "staff.no_second_factor":
    case "staff.breached_password":
      return "/people/staff";
    case "factor_resets.pending":
      return "/people";
    case "receipts.failed":
    case "receipts.failing":
    case "backup.failed":
    case "backup.old":
    case "backup.verify_failed":
    case "disk.low":
    case "writing.failing":
      return "/settings/health";
    case "api_keys.unused":
    case "api_keys.expiring":
    case "api_keys.beyond_creator":
      return "/settings/api-keys";
    case "market.root_ends":
    case "market.restored":
    case "keys.rotation_due":
      return "/settings/keys";
  }
};
