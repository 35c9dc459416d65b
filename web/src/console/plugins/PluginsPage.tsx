import { Page } from "../kit/Page";
import { t } from "../text";

export const PluginsPage = () => <Page title={t("nav.plugins")}> </Page>;
