import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Schemas } from "../../api/client";
import { formatMoney } from "../../text/format";
import { ErrorNote } from "../kit/ErrorNote";
import { Section } from "../kit/Page";
import { Time } from "../kit/values";
import { Customer, DemoMark, OrderState } from "../shop/values";
import { t } from "../text";
import { latestQuery } from "./data";

// Latest are the latest orders, whatever became of them. A shop without orders has no such section.
export const Latest = () => {
  const orders = useQuery(latestQuery);
  if (orders.isError) return <ErrorNote error={orders.error} />;
  if (!orders.data?.items.length) return null;
  return (
    <Section title={t("overview.latest")} actions={<Link to="/shop/orders">{t("overview.allOrders")}</Link>}>
      <div className="table-box">
        <table className="table" data-stack aria-label={t("overview.latest")}>
          <thead>
            <tr>
              <th scope="col">{t("shop.product")}</th>
              <th scope="col">{t("shop.customer")}</th>
              <th scope="col" className="end">
                {t("shop.orders.amount")}
              </th>
              <th scope="col">{t("shop.state")}</th>
              <th scope="col" className="end">
                {t("shop.orders.placed")}
              </th>
            </tr>
          </thead>
          <tbody>{orders.data.items.map(row)}</tbody>
        </table>
      </div>
    </Section>
  );
};

const row = (o: Schemas["ManagedOrder"]) => (
  <tr key={o.id}>
    <td className="clip">
      <Link className="row-link" to="/shop/orders/$id" params={{ id: o.id }}>
        {o.productName}
      </Link>{" "}
      <span className="soft">· {o.tierName}</span> <DemoMark of={o} />
    </td>
    <td className="clip">
      <Customer userId={o.userId} email={o.userEmail} billed={o.billingInfo?.email} />
    </td>
    <td className="end">{formatMoney(o.amount, o.currency)}</td>
    <td>
      <OrderState order={o} />
    </td>
    <td className="end" data-name={t("shop.orders.placed")}>
      <Time at={o.createdAt} />
    </td>
  </tr>
);
