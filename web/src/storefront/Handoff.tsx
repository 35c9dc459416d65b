// A purchase for another stoa, which fetches the license key by itself: this browser never sees it. Few buyers come
// from another stoa, and the others do not load this.
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import section from "../../texts/en.json?section=shop&only=handoff";
import { api, ok } from "../api/client";
import { texts } from "../text";
import { orNull } from "./data";
import { keptOrders } from "./kept";
import { Failure, Gone, Waiting } from "./ui";

const h = texts(section);

export interface HandoffProps {
  children: ReactNode; // the checkout
}

// How often a handoff is read again that waits for its payment, in milliseconds: after the payment page the
// provider's word is near.
const soon = 3_000,
  later = 15_000;

export const Handoff = ({ children }: HandoffProps) => {
  // The address says the rest: whoever has no handoff need not load how it is passed on.
  const asked = new URLSearchParams(location.search);
  const id = asked.get("handoff") ?? "";
  const back = asked.get("payment") === "success";
  const handoff = useQuery({
    queryKey: ["handoff", id],
    queryFn: () => orNull(ok(api.GET("/api/market/v1/handoffs/{id}", { params: { path: { id } } }))),
    refetchInterval: (query) => query.state.data?.state === "pending" && (back ? soon : later),
  });
  if (handoff.isPending) return <Waiting like="checkout" />;
  if (handoff.isError) return <Failure error={handoff.error} retry={() => void handoff.refetch()} />;
  const to = handoff.data;
  if (!to || decodeURIComponent(location.pathname) !== `/checkout/${to.productSlug}/${to.tierId}`)
    return <Gone title={h("handoff.over")} how={h("handoff.overHow")} />;
  const host = to.instance;
  const leave = (
    <a className={to.state === "pending" ? "button" : "button primary"} href={to.returnUrl}>
      {h("handoff.back", { host })}
    </a>
  );
  switch (to.state) {
    case "open":
      return (
        <>
          <p className="note">
            {h("handoff.to")} <strong>{host}</strong>
            <br />
            {h("handoff.how")}
          </p>
          {children}
        </>
      );
    case "pending": {
      const url = !back && keptOrders().find((one) => one.handoff === id)?.paymentUrl;
      return (
        <Gone title={h("handoff.pending")} how={h(back ? "handoff.confirming" : "handoff.pendingHow", { host })}>
          {url && (
            <a className="button primary" href={url}>
              {h("handoff.pay")}
            </a>
          )}
          {leave}
        </Gone>
      );
    }
    case "paid":
    case "claimed":
      return (
        <Gone title={h("handoff.paid")} how={h("handoff.paidHow", { host })}>
          {leave}
        </Gone>
      );
    case "expired":
      return (
        <Gone title={h("handoff.over")} how={h("handoff.overHow")}>
          {leave}
        </Gone>
      );
  }
};
