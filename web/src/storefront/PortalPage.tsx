// Stands in for the payment provider's page with test payments: what is paid, and the end of the subscription.
import section from "../../texts/en.json?section=shop&only=subscription";
import { texts } from "../text";
import { orderTone, useOrder } from "./data";
import { Facts, seen } from "./OrderPage";
import { subscribed, Subscription } from "./Subscription";
import { t } from "./boughtText";
import { Badge, Failure, Gone, Head, Waiting } from "./ui";

const s = texts(section);

export const PortalPage = ({ id }: { id: string }) => {
  const { order } = useOrder(id, "", true);
  if (order.isPending) return <Waiting like="page" />;
  if (order.isError) return <Failure error={order.error} retry={() => void order.refetch()} />;
  if (!order.data)
    return (
      <Gone title={t("order.lost")} how={t("order.lostHow")}>
        <a className="button" href="/orders">
          {t("orders.title")}
        </a>
      </Gone>
    );
  const one = order.data;
  const subscription = subscribed(one);
  return (
    <>
      <nav className="crumbs">
        <a href={`/orders/${one.id}`}>{s("subscription.toOrder")}</a>
      </nav>
      <Head
        title={s("subscription.manage")}
        badge={<Badge tone={orderTone(one.status)}>{t(`order.states.${one.status}`)}</Badge>}
      />
      <p className="note">{s("subscription.testPayment")}</p>
      <Facts order={seen(one.id, one, null)} />
      {subscription && <Subscription order={subscription} managed />}
    </>
  );
};
