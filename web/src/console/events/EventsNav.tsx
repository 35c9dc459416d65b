import { SubNav } from "../kit/SubNav";
import { t } from "../text";

export const EventsNav = () => (
  <SubNav
    label={t("events.title")}
    entries={[
      { to: "/events", title: t("events.audit.title") },
      { to: "/events/webhooks", title: t("events.webhooks.title") },
    ]}
  />
);
