import { SubNav } from "../kit/SubNav";
import { t } from "../text";

const entries = [
  { to: "/settings", title: t("settings.general.title") },
  { to: "/settings/packages", title: t("settings.packages.title") },
  { to: "/settings/payments", title: t("settings.payments.title") },
  { to: "/settings/keys", title: t("settings.keys.title") },
  { to: "/settings/health", title: t("settings.health.title") },
];

export const SettingsNav = () => <SubNav label={t("settings.title")} entries={entries} />;
