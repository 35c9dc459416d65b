// The installed plugins, each with how it is doing.
import "../extensions/extensions.css";
import { Button } from "@mantine/core";
import { keepPreviousData, useQueries, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { api, data, type Sorts } from "../../api/client";
import { usePageDrop } from "../extensions/install/DropArea";
import { InstallDialog } from "../extensions/install/InstallDialog";
import { useUpdates, useUpdateWords } from "../extensions/install/useUpdates";
import { DataTable, type Column } from "../kit/DataTable";
import { Empty } from "../kit/Empty";
import { Filter, ListBar } from "../kit/ListBar";
import { Page } from "../kit/Page";
import { Bar } from "../kit/Pending";
import { useListSearch, type ListSearch } from "../kit/useListSearch";
import { State, Time } from "../kit/values";
import { May, may } from "../kit/may";
import { t } from "../text";
import { instancesQuery } from "./data";
import { placeOf } from "./Cause";
import { Tabs } from "./Tabs";
import { worst } from "./state";

export const PluginsPage = () => {
  const { search } = useListSearch();
  const [install, setInstall] = useState<{ file: File | null } | null>(null);
  const mayInstall = may("extensions:install");
  const over = usePageDrop((file) => mayInstall && setInstall({ file })) && mayInstall;
  const query = useQuery({
    queryKey: ["plugins", "-list", search],
    queryFn: () => read(search),
    placeholderData: keepPreviousData,
  });
  return (
    <Page
      title={t("plugins.title")}
      actions={
        <May needs="extensions:install">
          <Button variant="filled" onClick={() => setInstall({ file: null })}>
            {t("plugins.install.button")}
          </Button>
        </May>
      }>
      <Tabs />
      <List query={query} onInstall={() => setInstall({ file: null })} />
      {over && install === null && (
        <div className="drop-veil" aria-hidden>
          {t("plugins.install.dropHere")}
        </div>
      )}
      {install && <InstallDialog dropped={install.file} kind="plugin" onClose={() => setInstall(null)} />}
    </Page>
  );
};

type Item = Awaited<ReturnType<typeof read>>["items"][number];
const read = ({ page = 1, q, runtimeType, sort }: ListSearch) =>
  data(
    api.GET("/api/v1/admin/extensions/{kind}", {
      params: {
        path: { kind: "plugin" },
        query: {
          page,
          ...(q ? { q } : {}),
          ...(runtimeType ? { runtimeType: runtimeType as Runtime } : {}),
          ...(sort ? { sort: sort as Sorts<"/api/v1/admin/extensions/{kind}"> } : {}),
        },
      },
    }),
  );

const runtimes = ["internal-fastify", "external-http"] as const;
type Runtime = (typeof runtimes)[number];

const List = ({
  query,
  onInstall,
}: {
  query: ReturnType<typeof useQuery<Awaited<ReturnType<typeof read>>>>;
  onInstall: () => void;
}) => {
  const items = query.data?.items ?? [];
  const found = useQueries({ queries: items.map((item) => instancesQuery(item.slug)) });
  const instances = new Map(items.map((item, i) => [item.slug, found[i]?.data]));
  const updates = useUpdates().data?.items ?? [];
  const words = useUpdateWords();
  const updateOf = (slug: string) => {
    const found = updates.find((u) => u.kind === "plugin" && u.slug === slug);
    return found && words(found);
  };
  const columns: Column<Item>[] = [
    {
      title: t("plugins.column.name"),
      sort: ["name", "-name"],
      cell: (item) => (
        <Link className="row-link" to="/plugins/$slug" params={{ slug: item.slug }}>
          {item.name}
        </Link>
      ),
    },
    {
      title: t("plugins.column.state"),
      cell: (item) => (
        <StateCell
          list={instances.get(item.slug)}
          manifestJson={"manifestJson" in item ? item.manifestJson : undefined}
        />
      ),
    },
    {
      title: t("plugins.column.version"),
      cell: (item) => <VersionCell item={item} update={updateOf(item.slug)} />,
    },
    {
      title: t("plugins.column.instances"),
      end: true,
      named: true,
      cell: (item) => instances.get(item.slug)?.pagination.total ?? "",
    },
    {
      title: t("plugins.column.runtime"),
      cell: (item) => ("runtimeType" in item ? t(`plugins.runtime.${item.runtimeType}`) : ""),
    },
    {
      title: t("plugins.column.installed"),
      named: true,
      sort: ["updated", "-updated"],
      cell: (item) => <Time at={item.updatedAt} />,
    },
  ];
  return (
    <>
      <ListBar label={t("plugins.search")}>
        <Filter
          name="runtimeType"
          label={t("plugins.column.runtime")}
          choices={runtimes.map((value) => ({ value, label: t(`plugins.runtime.${value}`) }))}
        />
      </ListBar>
      <DataTable
        label={t("plugins.title")}
        query={query}
        columns={columns}
        keyOf={(item) => item.slug}
        stack
        link={(item) => `/plugins/${item.slug}`}
        empty={
          <Empty
            title={t("plugins.empty.title")}
            action={
              <May needs="extensions:install">
                <Button variant="filled" onClick={onInstall}>
                  {t("plugins.install.button")}
                </Button>
              </May>
            }>
            {t("plugins.empty.how")}
          </Empty>
        }
      />
    </>
  );
};

const StateCell = ({
  list,
  manifestJson,
}: {
  list: { items: Parameters<typeof worst>[0] } | undefined;
  manifestJson: string | undefined;
}) => {
  if (!list) return <Bar width={72} />;
  const found = worst(list.items, manifestJson);
  if (!found) return <State tone="none">{t("plugins.state.none")}</State>;
  const { lastError } = found.instance.runtime;
  return (
    <span title={lastError?.message}>
      <State tone={found.shown.tone}>{found.shown.word}</State>
      {found.shown.rank >= 3 && lastError && <code className="small soft"> {placeOf(lastError)}</code>}
    </span>
  );
};

const VersionCell = ({ item, update }: { item: Item; update: string | undefined }) => (
  <>
    {item.version}
    {update && (
      <>
        {" "}
        <State tone="warn">{update}</State>
      </>
    )}
  </>
);
