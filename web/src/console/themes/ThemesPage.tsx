import { Page } from "../kit/Page";
import { t } from "../text";

export const ThemesPage = () => <Page title={t("nav.themes")}> </Page>;
