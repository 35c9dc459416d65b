import { useSession } from "../api/useSession";
import { formatMoney } from "../text/format";
import { Bought } from "./Bought";
import { orderTone, useOrders, type Order } from "./data";
import { keptOrders } from "./kept";
import { Invoice } from "./OrderPage";
import { SignIn } from "./SignInPage";
import { keptCosts, off, price, type Costs } from "./paid";
import { t } from "./boughtText";
import { pl } from "./planText";
import { Badge, Day } from "./ui";

export const OrdersPage = () =>
  useSession() ? (
    <Own />
  ) : (
    <>
      <Kept />
      <SignIn />
    </>
  );

// Kept are the orders that a guest placed in this tab, with their keys.
const Kept = () => {
  const orders = keptOrders();
  return (
    orders.length > 0 && (
      <section aria-labelledby="kept">
        <h2 id="kept">{t("orders.guest")}</h2>
        <p className="soft">{t("orders.guestHow")}</p>
        <ul className="list">
          {orders.map((order) => (
            <li key={order.id}>
              <div className="list-text">
                <h3>
                  <a href={`/orders/${order.id}`}>{order.productName}</a>{" "}
                  <span className="soft">· {order.tierName}</span>
                </h3>
                <div className="list-facts">
                  <Cost of={keptCosts(order)} />
                  <Day at={order.at} />
                  <code>{order.id}</code>
                </div>
              </div>
            </li>
          ))}
        </ul>
      </section>
    )
  );
};

const Cost = ({ of }: { of: Costs }) => (
  <>
    {of.discount && <span>{off(of)?.join(" ")}</span>}
    <span>{price(of)}</span>
  </>
);

const Own = () => (
  <Bought
    title={t("orders.title")}
    empty={t("orders.empty")}
    how={t("orders.emptyHow")}
    usePage={useOrders}
    rows={({ orders }) => orders.map((order) => <Row key={order.id} order={order} />)}
  />
);

const Row = ({ order }: { order: Order }) => (
  <li>
    <div className="list-text">
      <h2>
        <a href={`/orders/${order.id}`}>{order.productName}</a> <span className="soft">· {order.tierName}</span>
      </h2>
      <div className="list-facts">
        <Badge tone={orderTone(order.status)}>{t(`order.states.${order.status}`)}</Badge>
        {order.kind && <span>{pl(`plan.kind.${order.kind}`)}</span>}
        <Cost of={order} />
        {order.partlyRefunded && (
          <span>{t("orders.partly", { amount: formatMoney(order.partlyRefunded, order.currency) })}</span>
        )}
        {order.invoice && (
          <span>
            {t("order.invoice")} <Invoice of={order.invoice} />
          </span>
        )}
        <Day at={order.createdAt} />
        <code>{order.id}</code>
      </div>
    </div>
    {order.paymentUrl && (
      <a className="button" href={order.paymentUrl}>
        {t("orders.pay")}
      </a>
    )}
  </li>
);
