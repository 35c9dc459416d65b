import { Page } from "../kit/Page";
import { t } from "../text";

export const OverviewPage = () => <Page title={t("nav.overview")}> </Page>;
