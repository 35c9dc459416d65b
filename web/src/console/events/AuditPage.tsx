import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { api, data, type Schemas } from "../../api/client";
import { DataTable, type Column } from "../kit/DataTable";
import { Empty } from "../kit/Empty";
import { Filter, ListBar } from "../kit/ListBar";
import { Page } from "../kit/Page";
import { PageLink } from "../kit/pages";
import { useListSearch, type ListSearch } from "../kit/useListSearch";
import { None, Time } from "../kit/values";
import { t } from "../text";
import { EventsNav } from "./EventsNav";
import { addressOf } from "./target";

type Entry = Schemas["AuditEntry"];

// The subjects of actions, by which the log is filtered.
const subjects = [
  "user",
  "order",
  "license",
  "product",
  "review",
  "plugin",
  "instance",
  "theme",
  "bundle",
  "webhook",
  "media",
  "catalog",
  "role",
  "impersonation",
  "keys",
  "settings",
] as const;

const Actor = ({ actor }: { actor: Entry["actor"] }) => {
  if (actor.kind === "user") return <PageLink to={`/people/${actor.id}`}>{actor.name ?? actor.id}</PageLink>;
  return <>{actor.kind === "system" ? t("events.audit.system") : t(`events.audit.${actor.kind}`, { id: actor.id })}</>;
};

// Who is who did it, and as whom: staff may act as a customer.
const Who = ({ actor, onBehalfOf: user }: Entry) => (
  <>
    <Actor actor={actor} />
    {user && (
      <>
        {" "}
        {t("events.audit.behalf")} <PageLink to={`/people/${user.id}`}>{user.name ?? user.id}</PageLink>
      </>
    )}
  </>
);

// Products are at their slug's address.
const Target = ({ target: { type, id }, details }: Entry) => {
  const slug = details["slug"];
  const name = type === "product" && typeof slug === "string" ? slug : id;
  const to = addressOf({ type, id: name });
  const text = name === "" ? type : `${type} ${name}`;
  return to === undefined ? <>{text}</> : <PageLink to={to}>{text}</PageLink>;
};

// Details are what an entry says beside its fields: short, in one line.
const Details = ({ details }: { details: Entry["details"] }) => {
  const text = Object.entries(details)
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(" · ");
  return <span title={text}>{text}</span>;
};

const columns: Column<Entry>[] = [
  { title: t("events.audit.what"), sort: ["action", "-action"], cell: (e) => <code>{e.action}</code> },
  { title: t("events.audit.when"), sort: ["at", "-at"], cell: (e) => <Time at={e.at} /> },
  { title: t("events.audit.who"), sort: ["actor", "-actor"], cell: (e) => <Who {...e} /> },
  { title: t("events.audit.to"), cell: (e) => <Target {...e} /> },
  { title: t("events.audit.details"), cell: (e) => <Details details={e.details} /> },
  { title: t("events.audit.from"), named: true, spare: true, cell: (e) => e.address ?? <None /> },
];

const list = ({ page, q, action, actor, target, from, to, sort }: ListSearch) =>
  data(
    api.GET("/api/v1/admin/audit", {
      params: { query: { page: page ?? 1, limit: 50, ...texts({ q, action, actor, target, from, to, sort }) } },
    }),
  );

const texts = (all: Record<string, string | number | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(all)
      .filter(([, v]) => v !== undefined)
      .map(([name, v]) => [name, String(v)]),
  );

export const AuditPage = () => {
  const { search } = useListSearch();
  const query = useQuery({
    queryKey: ["events", "audit", search],
    queryFn: () => list(search),
    placeholderData: keepPreviousData,
  });
  return (
    <Page title={t("events.title")}>
      <EventsNav />
      <div className="section">
        <ListBar label={t("events.audit.search")}>
          <Filter
            name="action"
            label={t("events.audit.subject")}
            choices={subjects.map((value) => ({ value, label: t(`events.subjects.${value}`) }))}
          />
        </ListBar>
        <DataTable
          label={t("events.audit.title")}
          query={query}
          columns={columns}
          keyOf={(e) => e.id}
          order="-at"
          stack
          empty={<Empty title={t("events.audit.empty")}>{t("events.audit.about")}</Empty>}
        />
      </div>
    </Page>
  );
};
