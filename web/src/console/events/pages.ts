// The pages of events, for their menu and for the search box.
import { t } from "../text";

export const eventsPages = [
  { to: "/events", title: t("events.audit.title") },
  { to: "/events/webhooks", title: t("events.webhooks.title") },
];
