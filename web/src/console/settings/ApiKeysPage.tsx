// All API keys, and the service accounts that stand for the shop.
import { Button, TextInput } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api, data } from "../../api/client";
import { Confirm } from "../kit/Confirm";
import { DataTable, type Column } from "../kit/DataTable";
import { Empty } from "../kit/Empty";
import { ErrorNote } from "../kit/ErrorNote";
import { Filter, ListBar } from "../kit/ListBar";
import { Page, Section } from "../kit/Page";
import { PageLink } from "../kit/pages";
import { Bar } from "../kit/Pending";
import { useListSearch } from "../kit/useListSearch";
import { t } from "../text";
import {
  accountAddress,
  accountsQuery,
  addressOf,
  Ends,
  keysQuery,
  KeyState,
  Used,
  useRefresh,
  type Key,
} from "./apiKeys";
import { SettingsNav } from "./SettingsNav";

export const ApiKeysPage = () => (
  <Page title={t("settings.title")}>
    <SettingsNav />
    <p className="soft prose flat">{t("settings.apiKeys.about")}</p>
    <Services />
    <All />
  </Page>
);

const Services = () => {
  const accounts = useQuery(accountsQuery);
  const add = <AddAccount />;
  const items = accounts.data ?? [];
  return (
    <Section title={t("settings.apiKeys.services")} {...(items.length > 0 ? { actions: add } : {})}>
      {accounts.isPending && <Bar height={40} />}
      {accounts.isError && <ErrorNote error={accounts.error} retry={() => void accounts.refetch()} />}
      {accounts.data && items.length === 0 && (
        <Empty title={t("settings.apiKeys.noService")} action={add}>
          {t("settings.apiKeys.servicesAbout")}
        </Empty>
      )}
      {items.length > 0 && (
        <ul className="rows">
          {items.map(({ id, name, keys }) => (
            <li key={id}>
              <Link to={accountAddress(id)}>{name}</Link>
              <span className="soft">{t.count("settings.apiKeys.keysOf", keys)}</span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
};

const AddAccount = () => {
  const [open, setOpen] = useState(false);
  const [name, setName] = useState("");
  const refresh = useRefresh();
  const navigate = useNavigate();
  const run = async () => {
    const made = await data(api.POST("/api/v1/admin/service-accounts", { body: { name: name.trim() } }));
    void refresh();
    await navigate({ to: accountAddress(made.id) });
  };
  return (
    <>
      <Button onClick={() => setOpen(true)}>{t("settings.apiKeys.add")}</Button>
      <Confirm
        open={open}
        onClose={() => setOpen(false)}
        danger={false}
        title={t("settings.apiKeys.add")}
        effects={[t("settings.apiKeys.addEffect")]}
        action={t("settings.apiKeys.addAction")}
        disabled={name.trim() === ""}
        run={run}
        done={t("settings.apiKeys.added", { name: name.trim() })}>
        <TextInput
          label={t("settings.apiKeys.accountName")}
          value={name}
          maxLength={64}
          autoComplete="off"
          data-autofocus
          onChange={(e) => setName(e.currentTarget.value)}
        />
      </Confirm>
    </>
  );
};

const columns: Column<Key>[] = [
  {
    title: t("settings.apiKeys.name"),
    cell: (k) => (
      <PageLink className="row-link" to={addressOf(k.id)}>
        {k.name}
      </PageLink>
    ),
  },
  { title: t("settings.apiKeys.holder"), cell: (k) => k.holder.name, named: true },
  { title: t("settings.apiKeys.kind"), cell: (k) => t(`settings.apiKeys.${k.kind}`), spare: true },
  { title: t("settings.apiKeys.state"), cell: (k) => <KeyState of={k} /> },
  { title: t("settings.apiKeys.used"), cell: (k) => <Used of={k} />, named: true },
  { title: t("settings.apiKeys.ends"), cell: (k) => <Ends at={k.expiresAt} />, end: true, named: true },
];

const All = () => {
  const { search, page } = useListSearch();
  const kind = search["kind"] as string | undefined;
  const query = useQuery({ ...keysQuery(kind, page), placeholderData: keepPreviousData });
  return (
    <Section title={t("settings.apiKeys.all")}>
      <ListBar search={false}>
        <Filter
          name="kind"
          label={t("settings.apiKeys.kind")}
          choices={(["personal", "service"] as const).map((value) => ({
            value,
            label: t(`settings.apiKeys.${value}`),
          }))}
        />
      </ListBar>
      <DataTable
        label={t("settings.apiKeys.all")}
        query={query}
        columns={columns}
        keyOf={(k) => k.id}
        link={(k) => addressOf(k.id)}
        stack
        empty={<Empty title={t("settings.apiKeys.none")}>{t("settings.apiKeys.noneAbout")}</Empty>}
      />
    </Section>
  );
};
