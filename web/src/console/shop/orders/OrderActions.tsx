import { Button } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, data } from "../../../api/client";
import { formatMoney } from "../../../text/format";
import { Confirm } from "../../kit/Confirm";
import { may } from "../../kit/may";
import { t } from "../../text";
import type { License, Order } from "../types";

// OrderActions are what can be done with an order in its state: a refund, or a
// cancellation before it is paid.
export const OrderActions = ({ order, license }: { order: Order; license: License | undefined }) => {
  const [open, setOpen] = useState(false);
  const cache = useQueryClient();
  const change = async (send: () => Promise<unknown>) => {
    await send();
    void Promise.all(["orders", "licenses", "audit"].map((key) => cache.invalidateQueries({ queryKey: [key] })));
  };
  const path = { params: { path: { id: order.id } } };
  const close = () => setOpen(false);
  // A payment that arrived after the cancellation is still to be given back.
  const late = order.status === "cancelled" && order.paidAt !== undefined && order.refundedAt === undefined;
  if (order.status === "paid" || late) {
    if (!may("orders:refund")) return null;
    const amount = formatMoney(order.amount - (order.partlyRefunded ?? 0), order.currency);
    const action = order.amount === 0 ? t("shop.orders.refund.free") : t("shop.orders.refund.action", { amount });
    return (
      <>
        <Button onClick={() => setOpen(true)}>{action}</Button>
        <Confirm
          open={open}
          onClose={close}
          title={t("shop.orders.refund.title")}
          effects={refundEffects(order, license, amount)}
          action={action}
          done={order.amount === 0 ? t("shop.orders.refund.doneFree") : t("shop.orders.refund.done", { amount })}
          run={() => change(() => data(api.POST("/api/v1/admin/orders/{id}/refund", path)))}
        />
      </>
    );
  }
  if (order.status !== "pending" || !may("orders:cancel")) return null;
  return (
    <>
      <Button onClick={() => setOpen(true)}>{t("shop.orders.cancel.action")}</Button>
      <Confirm
        open={open}
        onClose={close}
        title={t("shop.orders.cancel.title")}
        effects={[t("shop.orders.cancel.pay"), t("shop.orders.cancel.late"), t("shop.orders.cancel.license")]}
        action={t("shop.orders.cancel.action")}
        done={t("shop.orders.cancel.done")}
        run={() => change(() => data(api.POST("/api/v1/admin/orders/{id}/cancel", path)))}
      />
    </>
  );
};

const refundEffects = (order: Order, license: License | undefined, amount: string): string[] => {
  const { payment } = order;
  const list: string[] = [];
  if (order.amount === 0) list.push(t("shop.orders.refund.nothing"));
  else if (payment.provider === "test") list.push(t("shop.orders.refund.test", { amount }));
  else list.push(t("shop.orders.refund.money", { amount, provider: payment.provider ?? "" }));
  if (license?.status !== "revoked") list.push(t("shop.orders.refund.license"));
  if (license && license.status !== "revoked" && license.currentInstances > 0) {
    list.push(t.count("shop.licenses.revoke.instances", license.currentInstances));
  }
  if (payment.subscriptionId && !payment.subscriptionEndedAt) list.push(t("shop.orders.refund.subscription"));
  return list;
};
