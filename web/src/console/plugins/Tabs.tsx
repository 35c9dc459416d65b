import { SubNav } from "../kit/SubNav";
import { t } from "../text";

// Tabs are the pages across all plugins.
export const Tabs = () => (
  <SubNav
    label={t("plugins.title")}
    entries={[
      { to: "/plugins", title: t("plugins.tabs.installed") },
      { to: "/plugins/deliveries", title: t("plugins.tabs.deliveries") },
    ]}
  />
);
