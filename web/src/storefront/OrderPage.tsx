import { formatMoney } from "../text/format";
import { useSession } from "./App";
import { useGuestOrder, useOrder } from "./data";
import { keptOrder } from "./kept";
import { orderTone } from "./OrdersPage";
import { t } from "./text";
import { Badge, Copy, Day, Gone, Failure, Head, Waiting } from "./ui";

// What a buyer sees of an order: from the account, or from this tab.
interface Seen {
  id: string; status: "pending" | "paid" | "refunded" | "cancelled" | null; productName: string; slug: string;
  amount: number; currency: string; at: string; key: string; paymentUrl: string; licenseId: string; email: string;
}

export const OrderPage = ({ id }: { id: string }) => {
  const session = useSession();
  const kept = keptOrder(id);
  const order = useOrder(id, session !== null);
  const guests = useGuestOrder(id, kept?.licenseKey ?? "", !session && Boolean(kept?.paymentUrl));
  const own = order.data ?? guests.data ?? null;
  if (session && order.isPending) return <Waiting />;
  if (order.isError && !kept) return <Failure error={order.error} retry={() => void order.refetch()} />;
  if (!own && !kept) {
    return (
      <Gone title={t("order.lost")} how={t("order.lostHow")}>
        {!session && <a className="button primary" href={`/sign-in?next=${encodeURIComponent(location.pathname)}`}>{t("signIn.title")}</a>}
        <a className="button" href="/claim-orders">{t("order.claim")}</a>
      </Gone>
    );
  }
  return <Shown order={{
    id, status: own?.status ?? (kept?.paymentUrl ? null : "paid"), productName: own?.productName ?? kept?.productName ?? "",
    slug: own?.productSlug ?? kept?.slug ?? "", amount: own?.amount ?? kept?.amount ?? 0, currency: own?.currency ?? kept?.currency ?? "EUR",
    at: own?.createdAt ?? kept?.at ?? "", key: kept?.licenseKey ?? order.data?.licenseKey ?? "",
    paymentUrl: own?.paymentUrl ?? (own ? "" : kept?.paymentUrl ?? ""), licenseId: order.data?.licenseId ?? "", email: kept?.email ?? "",
  }} />;
};

const Shown = ({ order }: { order: Seen }) => {
  const ready = order.status === "paid";
  return (
    <>
      <Head title={t(ready ? "order.thanks" : "order.title")} badge={order.status && !ready && <Badge tone={orderTone(order.status)}>{t(`order.states.${order.status}`)}</Badge>}>
        {ready && <p className="lead">{t("order.done")}</p>}
      </Head>
      {order.paymentUrl && (
        <div className="note" data-tone="warn">
          <h2>{t("order.pending")}</h2><p>{t("order.pendingHow")}</p>
          <p><a className="button" href={order.paymentUrl}>{t("order.payNow")}</a></p>
        </div>
      )}
      {order.key && <Key order={order} />}
      {order.key && <Next order={order} />}
      <Facts order={order} />
    </>
  );
};

const Key = ({ order }: { order: Seen }) => (
  <section aria-labelledby="key">
    <h2 id="key">{t("order.key")}</h2>
    <Copy value={order.key} what={t("order.key").toLowerCase()} primary />
    <p className="soft small">{order.licenseId ? t("order.keep") : order.email ? t("order.keepGuest", { email: order.email }) : t("order.keepNoMail")}</p>
  </section>
);

const Next = ({ order }: { order: Seen }) => (
  <section className="prose" aria-labelledby="next">
    <h2 id="next">{t("order.next")}</h2>
    <ol className="steps">
      <li><span>{t("order.step1")}</span></li>
      <li><span>{t("order.step2", { product: order.productName })}</span></li>
      <li><span>{t(order.licenseId ? "order.step3" : "order.step3Guest")}</span></li>
    </ol>
    <p>{order.licenseId
      ? <a className="button" href={`/licenses/${order.licenseId}`}>{t("order.toLicense")}</a>
      : <a className="button" href="/sign-in?next=/claim-orders">{t("order.toAccount")}</a>}</p>
  </section>
);

const Facts = ({ order }: { order: Seen }) => (
  <dl className="summary">
    <div><dt>{t("order.number")}</dt><dd><code>{order.id}</code></dd></div>
    <div><dt>{t("order.product")}</dt><dd><a href={`/p/${order.slug}`}>{order.productName}</a></dd></div>
    <div><dt>{t("order.amount")}</dt><dd>{order.amount === 0 ? t("catalog.free") : formatMoney(order.amount, order.currency)}</dd></div>
    {order.at && <div><dt>{t("order.placed")}</dt><dd><Day at={order.at} /></dd></div>}
  </dl>
);
