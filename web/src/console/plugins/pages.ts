// The pages across all plugins, for their menu and for the search box.
import { t } from "../text";

export const pluginsPages = [
  { to: "/plugins", title: t("plugins.tabs.installed") },
  { to: "/plugins/markets", title: t("plugins.tabs.markets") },
  { to: "/plugins/deliveries", title: t("plugins.tabs.deliveries") },
];
