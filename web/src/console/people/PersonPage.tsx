import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { api, data, type Schemas } from "../../api/client";
import { formatMoney } from "../../text/format";
import { CopyText } from "../kit/CopyText";
import { ErrorNote, ErrorPage, isUnread } from "../kit/ErrorNote";
import { Page, Section, Summary } from "../kit/Page";
import { Bar, Pending } from "../kit/Pending";
import { asMoment, Timeline, useAudit } from "../kit/Timeline";
import { Time } from "../kit/values";
import { LicenseState, OrderState, Seats, Term } from "../shop/values";
import { May, roleName } from "../kit/may";
import { t } from "../text";
import { PersonActions } from "./PersonActions";
import { SeenOf } from "./Seen";
import { Sessions } from "./Sessions";
import { PersonState } from "./values";

type User = Schemas["ManagedUser"];
const few = 5;

export const PersonPage = () => {
  const { id = "" } = useParams({ strict: false }) as { id?: string };
  const user = useQuery({
    queryKey: ["users", id],
    queryFn: () => data(api.GET("/api/v1/admin/users/{id}", { params: { path: { id } } })),
  });
  if (isUnread(user)) return <ErrorPage error={user.error} />;
  if (!user.data) return <Pending />;
  const u = user.data;
  return (
    <Page
      title={u.email}
      badge={<PersonState active={u.active} />}
      above={[{ title: t("nav.people"), to: "/people" }]}
      actions={<PersonActions user={u} />}>
      <Summary
        facts={[
          [t("people.name"), u.username],
          [t("people.role"), roleName(u.role)],
          [t("people.since"), <Time key="at" at={u.createdAt} />],
          [t("people.id"), <CopyText key="id" value={u.id} what={t("people.id")} />],
        ]}
      />
      <May needs="orders:read">
        <Orders user={u} />
      </May>
      <May needs="licenses:read">
        <Licenses user={u} />
      </May>
      <Sessions userId={u.id} />
      {u.role === "USER" && (
        <May needs="users:impersonate">
          <SeenOf userId={u.id} />
        </May>
      )}
      <Done user={u} />
    </Page>
  );
};

const Orders = ({ user }: { user: User }) => {
  const orders = useQuery({
    queryKey: ["orders", { email: user.email, limit: few }],
    queryFn: () => data(api.GET("/api/v1/admin/orders", { params: { query: { email: user.email, limit: few } } })),
  });
  return (
    <Belongings
      title={t("shop.nav.orders")}
      query={orders}
      none={t("people.noOrders")}
      all={{ to: "/shop/orders", search: { q: user.email } }}
      heads={[t("shop.product"), t("shop.orders.amount"), t("shop.state"), t("shop.orders.placed")]}
      row={(o) => ({
        key: o.id,
        cells: [
          <Link key="o" className="row-link" to="/shop/orders/$id" params={{ id: o.id }}>
            {o.productName} · {o.tierName}
          </Link>,
          formatMoney(o.amount, o.currency),
          <OrderState key="s" order={o} />,
          <Time key="t" at={o.createdAt} />,
        ],
      })}
    />
  );
};

const Licenses = ({ user }: { user: User }) => {
  const licenses = useQuery({
    queryKey: ["licenses", { user: user.id, limit: few }],
    queryFn: () => data(api.GET("/api/v1/admin/licenses", { params: { query: { user: user.id, limit: few } } })),
  });
  return (
    <Belongings
      title={t("shop.nav.licenses")}
      query={licenses}
      none={t("people.noLicenses")}
      all={{ to: "/shop/licenses", search: { user: user.id } }}
      heads={[t("shop.product"), t("shop.licenses.seatsUsed"), t("shop.state"), t("shop.licenses.term")]}
      row={(l) => ({
        key: l.id,
        cells: [
          <Link key="l" className="row-link" to="/shop/licenses/$id" params={{ id: l.id }}>
            {l.productName} · {l.tierName}
          </Link>,
          <Seats key="n" license={l} />,
          <LicenseState key="s" license={l} />,
          <Term key="t" license={l} />,
        ],
      })}
    />
  );
};

interface BelongingsProps<T> {
  title: string;
  query: {
    data?: { items: T[]; pagination: { total: number } } | undefined;
    isError: boolean;
    error: unknown;
    refetch: () => unknown;
  };
  none: string;
  all: { to: string; search: Record<string, string> };
  heads: string[];
  row: (item: T) => { key: string; cells: ReactNode[] };
}

// Belongings are the latest few of what belongs to a person, and the way to all of it.
const Belongings = <T,>({ title, query, none, all, heads, row }: BelongingsProps<T>) => {
  const total = query.data?.pagination.total ?? 0;
  const more = total > few && (
    <Link to={all.to} search={all.search as never}>
      {t("people.all", { n: total })}
    </Link>
  );
  return (
    <Section title={title} {...(more ? { actions: more } : {})}>
      {query.isError ? (
        <ErrorNote error={query.error} retry={() => void query.refetch()} />
      ) : !query.data ? (
        <Bar height={40} />
      ) : total === 0 ? (
        <p className="soft flat">{none}</p>
      ) : (
        <div className="table-box">
          <table className="table even" data-stack aria-label={title}>
            <thead>
              <tr>
                {heads.map((head) => (
                  <th key={head} scope="col">
                    {head}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {query.data.items.map(row).map(({ key, cells }) => (
                <tr key={key}>
                  {cells.map((cell, i) => (
                    <td key={heads[i]} className="clip">
                      {cell}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Section>
  );
};

// Done is what was done to an account and, by an administrator, with it.
const Done = ({ user }: { user: User }) => {
  const about = useAudit({ target: `user:${user.id}` });
  const by = useAudit({ actor: user.id });
  const entries = new Map([...(about.data?.items ?? []), ...(by.data?.items ?? [])].map((entry) => [entry.id, entry]));
  const failed = about.isError ? about : by.isError ? by : null;
  return (
    <Section title={t("timeline.title")}>
      {failed && <ErrorNote error={failed.error} retry={() => void failed.refetch()} />}
      <Timeline
        moments={[{ at: user.createdAt, what: t("people.did.joined") }, ...[...entries.values()].map(asMoment)]}
      />
    </Section>
  );
};
