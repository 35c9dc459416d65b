import { Page } from "../kit/Page";
import { t } from "../text";

export const EventsPage = () => <Page title={t("nav.events")}> </Page>;
