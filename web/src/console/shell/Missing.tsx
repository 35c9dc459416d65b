import { Empty } from "../kit/Empty";
import { Page } from "../kit/Page";
import { t } from "../text";

export const Missing = () => <Page title={t("missing.title")}><Empty title={t("missing.title")}>{t("missing.how")}</Empty></Page>;
