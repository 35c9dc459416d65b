import { Page } from "../kit/Page";
import { t } from "../text";

export const PeoplePage = () => <Page title={t("nav.people")}> </Page>;
