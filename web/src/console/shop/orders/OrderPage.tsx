import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { api, data } from "../../../api/client";
import { formatDay, formatMoney } from "../../../text/format";
import { CopyText } from "../../kit/CopyText";
import { ErrorPage, isUnread } from "../../kit/ErrorNote";
import { Page, Section, Summary } from "../../kit/Page";
import { Pending } from "../../kit/Pending";
import { History, type Moment } from "../../kit/Timeline";
import { Time } from "../../kit/values";
import { may } from "../../kit/may";
import { t } from "../../text";
import type { License, Order } from "../types";
import { Customer, DemoMark, LicenseState, OrderState } from "../values";
import { OrderActions } from "./OrderActions";

export const OrderPage = () => {
  const { id = "" } = useParams({ strict: false }) as { id?: string };
  const order = useQuery({
    queryKey: ["orders", id],
    queryFn: () => data(api.GET("/api/v1/admin/orders/{id}", { params: { path: { id } } })),
  });
  const licenseId = order.data?.licenseId;
  const license = useQuery({
    queryKey: ["licenses", licenseId],
    queryFn: () => data(api.GET("/api/v1/admin/licenses/{id}", { params: { path: { id: licenseId ?? "" } } })),
    enabled: licenseId !== undefined && may("licenses:read"),
  });
  if (isUnread(order)) return <ErrorPage error={order.error} />;
  if (!order.data) return <Pending />;
  const o = order.data;
  return (
    <Page
      title={t("shop.orders.one", { product: o.productName })}
      badge={
        <>
          <OrderState order={o} /> <DemoMark of={o} />
        </>
      }
      above={[{ title: t("shop.nav.orders"), to: "/shop/orders" }]}
      actions={<OrderActions order={o} license={license.data} />}>
      {o.demo && <p className="note">{t("shop.demoHow")}</p>}
      <Summary facts={facts(o)} />
      {may("licenses:read") && (
        <Section title={t("shop.license")}>{license.data && <LicenseLine license={license.data} />}</Section>
      )}
      <Payment order={o} />
      {o.refunds && <Refunds of={o.refunds} currency={o.currency} />}
      <Section title={t("timeline.title")}>
        <History targets={[`order:${o.id}`]} moments={moments(o)} />
      </Section>
    </Page>
  );
};

const byOf = (by: string | undefined): string => {
  if (by === "provider") return t("shop.orders.refund.byProvider");
  return by === "stoa" ? t("shop.orders.refund.byStoa") : "";
};

const Refunds = ({ of, currency }: { of: NonNullable<Order["refunds"]>; currency: string }) => (
  <Section title={t("shop.orders.refund.list")}>
    <ul>
      {of.map((r, i) => (
        <li key={i}>
          <Time at={r.at} /> · {formatMoney(r.amount, currency)}
          {[r.reason, byOf(r.by), r.creditNote && t("shop.orders.refund.creditNote", { number: r.creditNote })]
            .filter(Boolean)
            .map((text) => ` · ${text}`)}
        </li>
      ))}
    </ul>
  </Section>
);

const facts = (o: Order): [string, React.ReactNode][] => [
  [t("shop.orders.number"), <CopyText key="id" value={o.id} what={t("shop.orders.number")} />],
  [t("shop.orders.amount"), formatMoney(o.amount, o.currency)],
  ...(o.kind ? [[t("shop.orders.kind.of"), t(`shop.orders.kind.${o.kind}`)] as [string, string]] : []),
  ...(o.trial ? [[t("shop.trial"), t("shop.trialOrder")] as [string, string]] : []),
  ...(o.discount
    ? [
        [
          t("shop.orders.discount"),
          t("shop.orders.discountWith", { amount: formatMoney(o.discount.amount, o.currency), code: o.discount.code }),
        ] as [string, string],
      ]
    : []),
  ...tax(o),
  ...(o.partlyRefunded
    ? [[t("shop.orders.partly"), formatMoney(o.partlyRefunded, o.currency)] as [string, string]]
    : []),
  [
    t("shop.product"),
    <Link key="product" to="/shop/products/$slug" params={{ slug: o.productSlug }}>
      {o.productName}
    </Link>,
  ],
  [t("shop.tier"), o.tierName],
  [t("shop.customer"), <Customer key="customer" userId={o.userId} email={o.userEmail} billed={o.billingInfo?.email} />],
  ...bill(o),
  [t("shop.orders.placed"), <Time key="at" at={o.createdAt} />],
];

// What the payment provider said of tax and invoice.
const tax = ({ net, tax, total, taxId, country, invoice, currency }: Order): [string, React.ReactNode][] => {
  const list: [string, React.ReactNode][] = [];
  if (net !== undefined) list.push([t("shop.orders.net"), formatMoney(net, currency)]);
  if (tax !== undefined) list.push([t("shop.orders.tax"), formatMoney(tax, currency)]);
  if (total !== undefined) list.push([t("shop.orders.total"), formatMoney(total, currency)]);
  if (country) list.push([t("shop.orders.country"), country]);
  if (taxId) list.push([t("shop.orders.taxId"), taxId]);
  if (invoice) {
    list.push([t("shop.orders.invoice"), <Documents key="invoice" of={invoice} />]);
  }
  return list;
};

const Documents = ({ of: { number, url, pdf } }: { of: NonNullable<Order["invoice"]> }) => (
  <>
    {url ? <a href={url}>{number}</a> : number}
    {pdf && (
      <>
        {" · "}
        <a href={pdf}>{t("shop.orders.pdf")}</a>
      </>
    )}
  </>
);

// What the bill says beyond the customer's account.
const bill = ({ billingInfo: bill, userId }: Order): [string, string][] => {
  const list: [string, string][] = [];
  if (bill?.name) list.push([t("shop.orders.name"), bill.name]);
  if (bill?.company) list.push([t("shop.orders.company"), bill.company]);
  if (bill?.email && userId !== "anonymous") list.push([t("shop.orders.billedTo"), bill.email]);
  return list;
};

const LicenseLine = ({ license }: { license: License }) => (
  <div className="row" style={{ gap: "8px 24px" }}>
    <Link to="/shop/licenses/$id" params={{ id: license.id }}>
      {t("shop.licenses.open")}
    </Link>
    <LicenseState license={license} />
    <span>{t("shop.licenses.seatsOf", { used: license.currentInstances, all: license.maxInstances })}</span>
    <span>
      {license.expiresAt
        ? t(`shop.licenses.${license.status === "expired" ? "ended" : "ends"}`, { day: formatDay(license.expiresAt) })
        : t("shop.licenses.endless")}
    </span>
  </div>
);

const Payment = ({ order: { payment, paymentMethod } }: { order: Order }) => {
  const ids: [string, string | undefined][] = [
    [t("shop.orders.pay.payment"), payment.paymentId],
    [t("shop.orders.pay.invoice"), payment.invoiceId],
    [t("shop.orders.pay.session"), payment.sessionId],
    [t("shop.orders.pay.subscription"), payment.subscriptionId],
    [t("shop.orders.pay.url"), payment.url],
  ];
  const provider =
    payment.provider === undefined
      ? t("shop.orders.pay.nothingDue")
      : payment.provider === "test"
        ? t("shop.orders.pay.test")
        : payment.provider;
  return (
    <Section title={t("shop.orders.pay.title")}>
      <dl className="facts">
        <div>
          <dt>{t("shop.orders.pay.provider")}</dt>
          <dd>{provider}</dd>
        </div>
        <div>
          <dt>{t("shop.orders.pay.method")}</dt>
          <dd>{paymentMethod}</dd>
        </div>
        {ids.map(
          ([name, value]) =>
            value && (
              <div key={name}>
                <dt>{name}</dt>
                <dd>
                  <CopyText value={value} what={name} />
                </dd>
              </div>
            ),
        )}
        {payment.subscriptionEndedAt && (
          <div>
            <dt>{t("shop.orders.pay.ended")}</dt>
            <dd>
              <Time at={payment.subscriptionEndedAt} />
            </dd>
          </div>
        )}
      </dl>
    </Section>
  );
};

const moments = (o: Order): Moment[] => {
  const list: [string | undefined, string][] = [
    [o.createdAt, t("shop.orders.did.placed")],
    [
      o.paidAt,
      o.amount === 0
        ? t("shop.orders.did.free")
        : t("shop.orders.did.paid", { amount: formatMoney(o.total ?? o.amount, o.currency) }),
    ],
    [o.refundedAt, t("shop.orders.did.refunded")],
    [o.cancelledAt, t("shop.orders.did.cancelled")],
    [o.payment.subscriptionEndedAt, t("shop.orders.did.ended")],
  ];
  return list.flatMap(([at, what]) => (at ? [{ at, what }] : []));
};
