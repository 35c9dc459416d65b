import { Link } from "@tanstack/react-router";
import { t } from "../text";

// Tabs are the pages across all plugins.
export const Tabs = () => (
  <nav className="tabs" aria-label={t("plugins.title")}>
    <Link to="/plugins" activeOptions={{ exact: true, includeSearch: false }}>{t("plugins.tabs.installed")}</Link>
    <Link to="/plugins/deliveries" activeOptions={{ includeSearch: false }}>{t("plugins.tabs.deliveries")}</Link>
  </nav>
);
