import { Page } from "../kit/Page";
import { t } from "../text";

export const ShopPage = () => <Page title={t("nav.shop")}> </Page>;
