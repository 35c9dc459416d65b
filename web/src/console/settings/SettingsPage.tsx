import { Page } from "../kit/Page";
import { t } from "../text";

export const SettingsPage = () => <Page title={t("nav.settings")}> </Page>;
