// What stoa sent to all plugins.
import "../extensions/extensions.css";
import { Page } from "../kit/Page";
import { t } from "../text";
import { Deliveries } from "./Deliveries";
import { Tabs } from "./Tabs";

export const DeliveriesPage = () => (
  <Page title={t("plugins.title")}>
    <Tabs />
    <Deliveries />
  </Page>
);
