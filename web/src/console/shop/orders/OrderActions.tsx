import { Button, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, data } from "../../../api/client";
import { formatMoney } from "../../../text/format";
import { decimalsOf, type Typed } from "../../../text/number";
import { Confirm } from "../../kit/Confirm";
import { may } from "../../kit/may";
import { NumberField } from "../../kit/NumberField";
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
    return <Refund order={order} license={license} change={change} />;
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

interface RefundProps {
  order: Order;
  license: License | undefined;
  change: (send: () => Promise<unknown>) => Promise<void>;
}

// Refund gives back all that is left, or a part. The key of a request stays the same until it is answered, so that
// whoever presses the button again does not refund another part.
const Refund = ({ order, license, change }: RefundProps) => {
  const [open, setOpen] = useState(false);
  const [typed, setTyped] = useState<Typed>("");
  const [reason, setReason] = useState("");
  const [key, setKey] = useState("");
  const decimals = decimalsOf(order.currency);
  // 19.9 - 9.9 is 9.999999999999998.
  const left = Number(((order.total ?? order.amount) - (order.partlyRefunded ?? 0)).toFixed(decimals));
  const free = order.amount === 0;
  const clear = free || (typeof typed === "number" && typed > 0); // what is given back is said only then
  const part = clear && typeof typed === "number" && typed !== left ? typed : undefined;
  const amount = formatMoney(part ?? left, order.currency);
  const action = free
    ? t("shop.orders.refund.free")
    : clear
      ? t("shop.orders.refund.action", { amount })
      : t("shop.orders.refund.button");
  const effects =
    part === undefined ? refundEffects(order, license, amount) : [t("shop.orders.refund.part", { amount })];
  const begin = () => {
    setTyped(left);
    setReason("");
    setKey(crypto.randomUUID());
    setOpen(true);
  };
  const edited = <T,>(set: (value: T) => void) => {
    return (value: T) => {
      set(value);
      setKey(crypto.randomUUID());
    };
  };
  const body = { ...(part === undefined ? {} : { amount: part }), ...(reason.trim() ? { reason: reason.trim() } : {}) };
  return (
    <>
      <Button onClick={begin}>{free ? action : t("shop.orders.refund.button")}</Button>
      <Confirm
        open={open}
        onClose={() => setOpen(false)}
        title={t("shop.orders.refund.title")}
        effects={clear ? effects : []}
        action={action}
        disabled={!clear}
        done={t(`shop.orders.refund.${free ? "doneFree" : part === undefined ? "done" : "donePart"}`, { amount })}
        run={() =>
          change(() =>
            data(
              api.POST("/api/v1/admin/orders/{id}/refund", {
                params: { path: { id: order.id }, header: { "Idempotency-Key": key } },
                body,
              }),
            ),
          )
        }>
        {!free && (
          <NumberField
            label={t("shop.orders.refund.amount", { currency: order.currency })}
            description={t("shop.orders.refund.amountHow", { amount: formatMoney(left, order.currency) })}
            decimals={decimals}
            value={typed}
            onChange={edited(setTyped)}
          />
        )}
        <TextInput
          label={t("shop.orders.refund.reason")}
          description={t("shop.orders.refund.reasonHow")}
          maxLength={200}
          value={reason}
          onChange={(e) => edited(setReason)(e.currentTarget.value)}
        />
      </Confirm>
    </>
  );
};
