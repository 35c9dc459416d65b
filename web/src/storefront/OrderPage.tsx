import { useEffect, type ReactNode } from "react";
import { useSession } from "../api/useSession";
import { formatMoney } from "../text/format";
import { orderTone, useOrder, type SeenOrder } from "./data";
import { keptOrder, type KeptOrder } from "./kept";
import { go } from "./router";
import { keptCosts, off, price, type Costs } from "./paid";
import { Payment, subscribed, Subscription, TakeBack } from "./Subscription";
import { t } from "./boughtText";
import { pl } from "./planText";
import { c } from "./text";
import { Badge, Copy, Day, Gone, Failure, Head, Waiting } from "./ui";

// What a buyer sees of an order: from the API, or from this tab.
interface Seen {
  id: string;
  status: SeenOrder["status"] | null;
  productName: string;
  slug: string;
  costs: Costs;
  plan: string;
  at: string;
  key: string;
  paymentUrl: string;
  licenseId: string;
  email: string;
  said: SeenOrder | null; // what the API says of it
  own: SeenOrder | null; // the same, if it is in the account
}

export const seen = (id: string, order: SeenOrder | null, kept: KeptOrder | null): Seen => ({
  id,
  status: order?.status ?? (kept?.paymentUrl ? null : "paid"),
  productName: order?.productName ?? kept?.productName ?? "",
  slug: order?.productSlug ?? kept?.slug ?? "",
  costs: order ?? (kept ? keptCosts(kept) : { amount: 0, currency: "EUR" }),
  plan: order?.tierName ?? kept?.tierName ?? "",
  at: order?.createdAt ?? kept?.at ?? "",
  key: kept?.licenseKey ?? order?.licenseKey ?? "",
  paymentUrl: order ? (order.paymentUrl ?? "") : (kept?.paymentUrl ?? ""),
  licenseId: order?.own ? order.licenseId : "",
  email: kept?.email ?? "",
  said: order,
  own: order?.own ? order : null,
});

export const OrderPage = ({ id }: { id: string }) => {
  const session = useSession();
  const kept = keptOrder(id);
  // How the buyer came back from the payment page: "success", "cancelled" or null.
  const payment = new URLSearchParams(location.search).get("payment");
  const { order, slow, follow } = useOrder(id, kept?.paymentUrl ? kept.licenseKey : "", session !== null);
  const toCheckout = payment === "cancelled" && kept !== null && order.data?.status === "pending";
  // Where the license is another stoa's, the checkout tells how it goes on.
  const handoff = payment !== null || !session ? kept?.handoff : "";
  useEffect(() => {
    if (!kept || !(toCheckout || handoff)) return;
    const to = `/checkout/${kept.slug}/${encodeURIComponent(kept.tierId)}?payment=${payment ?? ""}`;
    go(handoff ? `${to}&handoff=${handoff}` : to, true);
  });
  if (order.isLoading || toCheckout || handoff) return <Waiting like="page" />;
  if (order.isError && !order.data && !kept) return <Failure error={order.error} retry={() => void order.refetch()} />;
  if (!order.data && !kept) return <Lost payment={payment} signedIn={session !== null} />;
  const one = seen(id, order.data ?? null, kept);
  return (
    <Shown order={one} fresh={kept !== null || payment === "success"}>
      {one.paymentUrl && <Unpaid order={one} payment={payment} slow={slow} follow={follow} />}
    </Shown>
  );
};

// Lost stands in for an order that neither the account nor this tab knows. Buyers of other
// shops come here too, whose shop has no page of its own to return to.
const Lost = ({ payment, signedIn }: { payment: string | null; signedIn: boolean }) => {
  const [title, how] =
    payment === "success"
      ? [t("order.thanks"), `${t("order.confirming")} ${t("order.elsewhere")}`]
      : payment === "cancelled"
        ? [t("order.notPaid"), t("order.notPaidHow")]
        : [t("order.lost"), t("order.lostHow")];
  return (
    <Gone title={title} how={how}>
      {!signedIn && (
        <a className="button primary" href={`/sign-in?next=${encodeURIComponent(location.pathname)}`}>
          {c("signIn")}
        </a>
      )}
      <a className="button" href="/claim-orders">
        {t("order.claim")}
      </a>
    </Gone>
  );
};

interface UnpaidProps {
  order: Seen;
  payment: string | null;
  slow: boolean;
  follow: () => void;
}

// Unpaid says what an order waits for. After the payment page that is the provider's word;
// otherwise it is the buyer.
const Unpaid = ({ order, payment, slow, follow }: UnpaidProps) => {
  const pay = (
    <a className="button" href={order.paymentUrl}>
      {t("order.payNow")}
    </a>
  );
  if (payment === "cancelled") {
    return (
      <div className="note" data-tone="warn">
        <p>{t("order.notPaidHow")}</p>
        <p className="row">
          {pay}
          <a className="button" href={`/p/${order.slug}`}>
            {t("order.toProduct")}
          </a>
        </p>
      </div>
    );
  }
  if (payment !== "success") {
    return (
      <div className="note" data-tone="warn">
        <h2>{t("order.pending")}</h2>
        <p>{t("order.pendingHow")}</p>
        <p>{pay}</p>
      </div>
    );
  }
  if (!slow) {
    return (
      <div className="note" role="status">
        <h2>{t("order.waiting")}</h2>
        <p>{t("order.waitingHow")}</p>
      </div>
    );
  }
  return (
    <div className="note" data-tone="warn" role="status">
      <h2>{t("order.slow")}</h2>
      <p>{order.email ? t("order.slowMail", { email: order.email }) : t("order.slowHow")}</p>
      <p className="row">
        <button type="button" className="button" onClick={follow}>
          {t("order.check")}
        </button>
        {pay}
      </p>
    </div>
  );
};

const recurs = ({ amount, billingPeriod }: Costs): boolean =>
  amount > 0 && billingPeriod !== undefined && billingPeriod !== "one-time";

const wasPaid = ({ amount, status }: SeenOrder): boolean => amount > 0 && (status === "paid" || status === "refunded");

// Shown is the order; fresh tells that it was placed just now, in this tab.
const Shown = ({ order, fresh, children }: { order: Seen; fresh: boolean; children: ReactNode }) => {
  const ready = order.status === "paid";
  const subscription = subscribed(order.own);
  const usable = order.key !== "" && order.status !== "cancelled" && order.status !== "refunded" && !order.paymentUrl;
  return (
    <>
      <Head
        title={t(ready && fresh ? "order.thanks" : "order.title")}
        badge={
          order.status &&
          !(ready && fresh) && <Badge tone={orderTone(order.status)}>{t(`order.states.${order.status}`)}</Badge>
        }>
        {ready && fresh && (
          <p className="lead" role="status">
            {t("order.done")}
          </p>
        )}
      </Head>
      {children}
      {order.status === "refunded" && <p className="note">{t("order.refunded")}</p>}
      {usable && <Key order={order} />}
      {usable && <Next order={order} />}
      {order.own
        ? subscription && <Subscription order={subscription} />
        : usable && recurs(order.costs) && <Subscription order={null} />}
      {order.own && !subscription && wasPaid(order.own) && <Payment order={order.own} />}
      {order.own?.refundableUntil && <TakeBack order={order.own} until={order.own.refundableUntil} />}
      <Facts order={order} />
      {order.status !== "pending" && !order.said?.invoice && <p className="on-paper">{t("order.notInvoice")}</p>}
    </>
  );
};

const Key = ({ order }: { order: Seen }) => (
  <section aria-labelledby="key">
    <h2 id="key">{t("order.key")}</h2>
    <Copy value={order.key} what={t("licenses.keyWithin")} primary />
    <p className="soft small">
      {order.licenseId
        ? t("order.keep")
        : order.email
          ? t("order.keepGuest", { email: order.email })
          : t("order.keepNoMail")}
    </p>
  </section>
);

const Next = ({ order }: { order: Seen }) => (
  <section className="prose" aria-labelledby="next">
    <h2 id="next">{t("order.next")}</h2>
    <ol className="steps">
      <li>
        <span>{t("order.step1")}</span>
      </li>
      <li>
        <span>{t("order.step2", { product: order.productName })}</span>
      </li>
      <li>
        <span>
          {order.licenseId
            ? t("order.step3")
            : order.email
              ? t("order.step3Guest", { email: order.email })
              : t("order.step3NoMail")}
        </span>
      </li>
    </ol>
    {(order.licenseId || order.email) && (
      <p>
        {order.licenseId ? (
          <a className="button" href={`/licenses/${order.licenseId}`}>
            {t("order.toLicense")}
          </a>
        ) : (
          <a href="/claim-orders">{t("order.toAccount")}</a>
        )}
      </p>
    )}
  </section>
);

// Fact is a line of what an order says.
const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

// Billed is what the payment provider said of tax and invoice.
const Billed = ({ order: { net, tax, total, invoice, currency } }: { order: SeenOrder }) => (
  <>
    {net !== undefined && <Fact name={t("order.net")}>{formatMoney(net, currency)}</Fact>}
    {tax !== undefined && <Fact name={t("order.tax")}>{formatMoney(tax, currency)}</Fact>}
    {total !== undefined && <Fact name={t("order.total")}>{formatMoney(total, currency)}</Fact>}
    {invoice && (
      <Fact name={t("order.invoice")}>
        <Invoice of={invoice} />
      </Fact>
    )}
  </>
);

export const Invoice = ({ of: { number, url, pdf } }: { of: NonNullable<SeenOrder["invoice"]> }) => (
  <>
    {url ? <a href={url}>{number}</a> : number}
    {pdf && (
      <>
        {" · "}
        <a href={pdf}>{t("order.pdf")}</a>
      </>
    )}
  </>
);

export const Facts = ({ order }: { order: Seen }) => {
  const less = off(order.costs);
  return (
    <dl className="summary">
      <Fact name={t("order.number")}>
        <code>{order.id}</code>
      </Fact>
      <Fact name={t("order.product")}>
        <a href={`/p/${order.slug}`}>{order.productName}</a>
      </Fact>
      {order.plan && <Fact name={t("checkout.plan")}>{order.plan}</Fact>}
      {order.own?.kind && <Fact name={pl("plan.kind.of")}>{pl(`plan.kind.${order.own.kind}`)}</Fact>}
      {less && <Fact name={less[0]}>{less[1]}</Fact>}
      <Fact name={t("order.amount")}>{price(order.costs)}</Fact>
      {order.said && <Billed order={order.said} />}
      {order.at && (
        <Fact name={t("order.placed")}>
          <Day at={order.at} />
        </Fact>
      )}
    </dl>
  );
};
