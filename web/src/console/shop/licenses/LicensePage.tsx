import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { api, data, tagged } from "../../../api/client";
import { formatDay, formatMoney } from "../../../text/format";
import { CopyText } from "../../kit/CopyText";
import { ErrorPage, isUnread } from "../../kit/ErrorNote";
import { Page, Section, Summary } from "../../kit/Page";
import { Pending } from "../../kit/Pending";
import { History, type Moment } from "../../kit/Timeline";
import { Locked, may } from "../../kit/may";
import { t } from "../../text";
import type { License, Order } from "../types";
import { Customer, DemoMark, LicenseState, OrderState, Seats, Term } from "../values";
import { Activations } from "./Activations";
import { LicenseActions } from "./LicenseActions";
import { LicenseForm } from "./LicenseForm";

export const LicensePage = () => {
  const { id = "" } = useParams({ strict: false }) as { id?: string };
  const license = useQuery({
    queryKey: ["licenses", id, "tagged"],
    queryFn: () => tagged(api.GET("/api/v1/admin/licenses/{id}", { params: { path: { id } } })),
  });
  const order = useOrderOf(id);
  if (isUnread(license)) return <ErrorPage error={license.error} />;
  if (!license.data) return <Pending />;
  const { value: l, etag } = license.data;
  return (
    <Page
      title={l.productName}
      badge={
        <>
          <LicenseState license={l} /> <DemoMark of={l} />
        </>
      }
      above={[{ title: t("shop.nav.licenses"), to: "/shop/licenses" }]}
      actions={<LicenseActions license={l} etag={etag} />}>
      {l.demo && <p className="note">{t("shop.demoHow")}</p>}
      <Summary facts={facts(l, order.data)} />
      <Section title={t("shop.licenses.activations.title")}>
        <Activations license={l} />
      </Section>
      <Section title={t("shop.licenses.terms.title")}>
        <Locked needs="licenses:write">
          <LicenseForm license={l} etag={etag} />
        </Locked>
      </Section>
      <Section title={t("timeline.title")}>
        <History targets={[`license:${l.id}`]} moments={moments(l, order.data)} />
      </Section>
    </Page>
  );
};

// useOrderOf finds the order of a license; granted ones have none.
const useOrderOf = (licenseId: string) =>
  useQuery({
    queryKey: ["orders", "of", licenseId],
    queryFn: async () => {
      const found = await data(api.GET("/api/v1/admin/orders", { params: { query: { q: licenseId, limit: 5 } } }));
      return found.items.find((order) => order.licenseId === licenseId) ?? null;
    },
    enabled: may("orders:read"),
  });

const facts = (l: License, order: Order | null | undefined): [string, React.ReactNode][] => [
  [t("shop.licenses.id"), <CopyText key="id" value={l.id} what={t("shop.licenses.id")} />],
  [t("shop.licenses.seatsUsed"), <Seats key="seats" license={l} />],
  [t("shop.licenses.term"), <Term key="term" license={l} />],
  ...(l.trial ? [[t("shop.trial"), t("shop.trialLicense")] as [string, string]] : []),
  [t("shop.tier"), l.tierName],
  ...(l.next ? [[t("shop.licenses.next.title"), nextOf(l.next)] as [string, string]] : []),
  [
    t("shop.product"),
    <Link key="product" to="/shop/products/$slug" params={{ slug: l.productSlug }}>
      {l.productName}
    </Link>,
  ],
  [
    t("shop.customer"),
    <Customer key="customer" userId={l.userId} email={l.userEmail} billed={order?.billingInfo?.email} />,
  ],
  [
    t("shop.order"),
    order === undefined ? (
      "…"
    ) : order === null ? (
      t("shop.licenses.noOrder")
    ) : (
      <span key="order" className="row">
        <Link to="/shop/orders/$id" params={{ id: order.id }}>
          {formatMoney(order.amount, order.currency)}
        </Link>{" "}
        <OrderState order={order} />
      </span>
    ),
  ],
];

const nextOf = ({ tierId, at }: NonNullable<License["next"]>): string =>
  at
    ? t("shop.licenses.next.on", { plan: tierId, day: formatDay(at) })
    : t("shop.licenses.next.open", { plan: tierId });

const moments = (l: License, order: Order | null | undefined): Moment[] => {
  const list: [string | undefined, string][] = [
    [l.createdAt, t("shop.licenses.did.issued")],
    [
      order && order.amount > 0 ? order.paidAt : undefined,
      t("shop.orders.did.paid", { amount: order ? formatMoney(order.amount, order.currency) : "" }),
    ],
    [order?.refundedAt, t("shop.orders.did.refunded")],
    [l.revokedAt, t("shop.licenses.did.revoked")],
    [
      l.revokedAt ? undefined : l.expiresAt,
      t(l.status === "expired" ? "shop.licenses.did.ended" : "shop.licenses.did.ends", {
        day: formatDay(l.expiresAt ?? l.createdAt),
      }),
    ],
  ];
  return list.flatMap(([at, what]) => (at ? [{ at, what }] : []));
};
