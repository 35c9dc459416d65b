import { Page } from "../kit/Page";
import { t } from "../text";

export const Missing = () => <Page title={t("missing.title")}><p className="soft" style={{ margin: 0 }}>{t("missing.how")}</p></Page>;
