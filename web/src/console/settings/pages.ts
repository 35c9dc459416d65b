// The pages of the settings, for their menu and for the search box.
import { t } from "../text";

export const settingsPages = [
  { to: "/settings", title: t("settings.general.title") },
  { to: "/settings/sign-in", title: t("settings.signIn.title") },
  { to: "/settings/packages", title: t("settings.packages.title") },
  { to: "/settings/payments", title: t("settings.payments.title") },
  { to: "/settings/api-keys", title: t("settings.apiKeys.title") },
  { to: "/settings/keys", title: t("settings.keys.title") },
  { to: "/settings/health", title: t("settings.health.title") },
];
