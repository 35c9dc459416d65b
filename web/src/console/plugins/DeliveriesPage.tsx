// The deliveries that need somebody, over all plugins.
import "../extensions/extensions.css";
import { Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { api, data } from "../../api/client";
import { Empty } from "../kit/Empty";
import { ErrorPage } from "../kit/ErrorNote";
import { Page } from "../kit/Page";
import { Pending } from "../kit/Pending";
import { useListSearch } from "../kit/useListSearch";
import { t } from "../text";
import { Deliveries } from "./Deliveries";
import { Tabs } from "./Tabs";

export const DeliveriesPage = () => {
  const { search, set } = useListSearch();
  const plugins = useQuery({
    queryKey: ["plugins", "-choices"],
    queryFn: () => data(api.GET("/api/v1/admin/extensions/{kind}", { params: { path: { kind: "plugin" }, query: { limit: 100 } } })),
  });
  if (plugins.isPending) return <Pending />;
  if (plugins.isError) return <ErrorPage error={plugins.error} />;
  const { items } = plugins.data;
  const chosen = items.find((item) => item.slug === search["plugin"]) ?? items[0];
  return (
    <Page title={t("plugins.deliveries.title")} above={[{ title: t("plugins.title"), to: "/plugins" }]}>
      <Tabs />
      {chosen === undefined ? <Empty title={t("plugins.deliveries.empty")}>{t("plugins.deliveries.emptyHow")}</Empty> : (
        <>
          <Select label={t("plugins.deliveries.plugin")} w={280} searchable data={items.map((item) => ({ value: item.slug, label: item.name }))} value={chosen.slug} onChange={(slug) => set({ plugin: slug ?? undefined })} />
          <Deliveries slug={chosen.slug} />
        </>
      )}
    </Page>
  );
};
