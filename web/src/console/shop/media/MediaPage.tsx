import { Page } from "../../kit/Page";
import { t } from "../../text";

export const MediaPage = () => <Page title={t("shop.nav.media")}> </Page>;
