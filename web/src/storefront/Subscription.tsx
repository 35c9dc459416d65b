// What becomes of a subscription, and its end: a part of the pages of an order and of a license. Its words and
// looks come with those pages, because the way to a purchase is to be light.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useId, useRef } from "react";
import section from "../../texts/en.json?section=shop&only=subscription";
import { api, ok } from "../api/client";
import { texts } from "../text";
import { formatDay } from "../text/format";
import { readOrder, type License, type SeenOrder } from "./data";
import { regular } from "./paid";
import { go } from "./router";
import "./subscription.css";
import { t } from "./boughtText";
import { Button, Failure, Told, useHeading } from "./ui";

const s = texts(section);

// seenAs says that the page is seen by somebody of the staff as the user: they change nothing about what is paid.
export const seenAs = "seenAs" in document.documentElement.dataset;

// Subscribed is a paid order of the user whose license ends unless it is renewed.
export type Subscribed = SeenOrder & { expiresAt: string };

export const subscribed = (order: SeenOrder | null | undefined): Subscribed | null =>
  order?.billingPeriod && order.amount > 0 && order.status === "paid" && order.expiresAt
    ? { ...order, expiresAt: order.expiresAt }
    : null;

// useOrderOf reads the order of a subscription of the user: it says how the license goes on.
export const useOrderOf = (license: License | null | undefined) => {
  const id = (license?.type === "subscription" && license.status !== "revoked" && license.orderId) || "";
  return useQuery({
    queryKey: ["orders", "one", id, true],
    enabled: id !== "",
    queryFn: () => readOrder(id, "", true),
  });
};

const over = (order: Subscribed): boolean => new Date(order.expiresAt).getTime() <= Date.now();

// nextOf says what happens next, and when.
const nextOf = (order: Subscribed): string => {
  const date = formatDay(order.expiresAt);
  if (order.renews)
    return over(order) ? s("subscription.renewing") : s("subscription.renews", { date, price: regular(order) });
  if (over(order)) return s("subscription.over", { date });
  return s(order.ends ? "subscription.ends" : "subscription.test", { date });
};

// useManage opens the page where the user manages how an order is paid: the payment provider's, or this shop's.
const useManage = (id: string) =>
  useMutation({
    mutationFn: () => ok(api.POST("/api/marketplace/orders/{id}/portal", { params: { path: { id } } })),
    onSuccess: ({ url }) => go(url),
  });

const Manage = ({ by }: { by: ReturnType<typeof useManage> }) => (
  <Button type="button" className="button" busy={by.isPending} onClick={() => by.mutate()}>
    {s("subscription.manage")}
  </Button>
);

// Payment is of an order of the user that is no running subscription.
export const Payment = ({ order }: { order: SeenOrder }) => {
  const id = useId();
  const manage = useManage(order.id);
  if (seenAs) return null;
  return (
    <section className="prose" aria-labelledby={id}>
      <h2 id={id}>{s("subscription.payment")}</h2>
      <p>{s("subscription.manageHow")}</p>
      {manage.isError && <Failure error={manage.error} />}
      <p>
        <Manage by={manage} />
      </p>
    </section>
  );
};

// Owned is of an order of the user.
const Owned = ({ order, managed }: { order: Subscribed; managed: boolean }) => {
  const { heading, toHeading } = useHeading();
  const id = useId();
  const queries = useQueryClient();
  const dialog = useRef<HTMLDialogElement>(null);
  const end = useMutation({
    mutationFn: () =>
      ok(api.POST("/api/marketplace/orders/{id}/end-subscription", { params: { path: { id: order.id } } })),
    onSuccess: async () => {
      dialog.current?.close();
      await Promise.all(["orders", "licenses"].map((key) => queries.invalidateQueries({ queryKey: [key] })));
      toHeading(); // the button is gone
    },
  });
  const manage = useManage(order.id);
  const date = formatDay(order.expiresAt);
  const endable = !seenAs && !order.ends && (order.renews || !over(order));
  const manageable = !seenAs && !managed;
  return (
    <section className="prose" aria-labelledby={id}>
      <h2 id={id} ref={heading} tabIndex={-1}>
        {s("subscription.title")}
      </h2>
      <Told>{end.isSuccess && order.ends && <span>{s("subscription.ended", { date })}</span>}</Told>
      <p>{nextOf(order)}</p>
      {manage.isError && <Failure error={manage.error} />}
      {(endable || manageable) && (
        <p className="row">
          {manageable && <Manage by={manage} />}
          {endable && (
            <button type="button" className="button" onClick={() => dialog.current?.showModal()}>
              {s("subscription.end")}
            </button>
          )}
        </p>
      )}
      <dialog ref={dialog} className="dialog" aria-labelledby={`${id}-end`} onClose={() => end.isError && end.reset()}>
        <h2 id={`${id}-end`}>{s("subscription.endTitle")}</h2>
        <ul className="effects">
          <li>{s("subscription.effectLicense", { product: order.productName, plan: order.tierName, date })}</li>
          <li>{s("subscription.effectCharge")}</li>
        </ul>
        {end.isError && <Failure error={end.error} />}
        <p className="row">
          <button type="button" className="button" onClick={() => dialog.current?.close()}>
            {s("subscription.keep")}
          </button>
          <Button type="button" className="button danger" busy={end.isPending} onClick={() => end.mutate()}>
            {s("subscription.end")}
          </Button>
        </p>
      </dialog>
    </section>
  );
};

// Guests tells a guest, who has no account that could end it, what to do first.
const Guests = () => {
  const id = useId();
  return (
    <section className="prose" aria-labelledby={id}>
      <h2 id={id}>{s("subscription.title")}</h2>
      <p>{s("subscription.guest")}</p>
      <p>
        <a className="button" href="/claim-orders">
          {t("order.claim")}
        </a>
      </p>
    </section>
  );
};

// Without an order it is a guest's. managed says that the page is already the one where its payment is managed.
export const Subscription = ({ order, managed = false }: { order: Subscribed | null; managed?: boolean }) =>
  order ? <Owned order={order} managed={managed} /> : <Guests />;

// TakeBack lets the buyer give an order back, as long as the product offers that.
export const TakeBack = ({ order, until }: { order: SeenOrder; until: string }) => {
  const id = useId();
  const queries = useQueryClient();
  const dialog = useRef<HTMLDialogElement>(null);
  const back = useMutation({
    mutationFn: () => ok(api.POST("/api/marketplace/orders/{id}/refund", { params: { path: { id: order.id } } })),
    onSuccess: async () => {
      dialog.current?.close();
      await Promise.all(["orders", "licenses"].map((key) => queries.invalidateQueries({ queryKey: [key] })));
    },
  });
  if (seenAs) return null;
  return (
    <section className="prose" aria-labelledby={id}>
      <h2 id={id}>{s("subscription.backTitle")}</h2>
      <p>{s("subscription.backUntil", { date: formatDay(until) })}</p>
      <p>
        <button type="button" className="button" onClick={() => dialog.current?.showModal()}>
          {s("subscription.back")}
        </button>
      </p>
      <dialog
        ref={dialog}
        className="dialog"
        aria-labelledby={`${id}-ask`}
        onClose={() => back.isError && back.reset()}>
        <h2 id={`${id}-ask`}>{s("subscription.backAsk")}</h2>
        <ul className="effects">
          <li>{s("subscription.backMoney")}</li>
          <li>{s("subscription.backLicense", { product: order.productName, plan: order.tierName })}</li>
        </ul>
        {back.isError && <Failure error={back.error} />}
        <p className="row">
          <button type="button" className="button" onClick={() => dialog.current?.close()}>
            {s("subscription.backKeep")}
          </button>
          <Button type="button" className="button danger" busy={back.isPending} onClick={() => back.mutate()}>
            {s("subscription.back")}
          </Button>
        </p>
      </dialog>
    </section>
  );
};
