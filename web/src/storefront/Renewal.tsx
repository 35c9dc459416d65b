// A further period of a license that no payment provider renews.
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { api, ok } from "../api/client";
import { asProblem } from "../api/problem";
import { formatDay, formatMoney } from "../text/format";
import { t } from "./boughtText";
import { useAttempt, type License, type SeenOrder } from "./data";
import { Discount, type Deal } from "./Discount";
import { Plans, type PlanProps, type Tier } from "./Plan";
import { OpenOrder, useBought, type Product } from "./PlanNext";
import { pl } from "./planText";
import { Button, Failure, Gone, Summary } from "./ui";

const inTest = document.documentElement.dataset["payments"] === "test";

export interface RenewalProps extends PlanProps {
  order: SeenOrder | null; // the one that gave the license
}

// Renewal is called at the address of a license with ?renew.
export const Renewal = ({ license, order, onDone }: RenewalProps) => (
  <Plans license={license} title={pl("plan.renewOf", { product: license.productName })}>
    {(product) => <Renew license={license} order={order} product={product} onDone={onDone} />}
  </Plans>
);

const Renew = ({ license, order, product, onDone }: RenewalProps & { product: Product }) => {
  const tier = product.pricingTiers.find((one) => one.id === (license.next?.tierId ?? license.tierId));
  const [deal, setDeal] = useState<Deal | null>(null);
  const headers = useAttempt();
  const bought = useBought(license, onDone);
  const renew = useMutation({
    mutationFn: () => {
      const body = deal ? { discountCode: deal.code } : {};
      return ok(
        api.POST("/api/marketplace/licenses/{id}/renew", {
          params: { path: { id: license.id }, header: headers(body) },
          body,
        }),
      );
    },
    onSuccess: (answer) => bought.done(answer, pl("plan.renewed")),
  });
  if (!tier)
    return (
      <Gone title={pl("plan.gone")} how={pl("plan.goneHow")}>
        <a className="button" href={`/licenses/${license.id}?change`}>
          {pl("plan.change")}
        </a>
      </Gone>
    );
  const lasting = deal ? null : lastingDeal(order, tier);
  const total = (deal ?? lasting)?.total ?? tier.price;
  const busy = renew.isPending || bought.leaving;
  const cost = formatMoney(total, tier.currency);
  return (
    <>
      <Summary product={product} tier={tier} deal={deal ?? lasting} total={total}>
        <Codes product={product} tier={tier} deal={deal} lasting={lasting} onDeal={setDeal} />
      </Summary>
      <section className="form" aria-label={pl("plan.renew")}>
        <p>{termOf(license, tier)}</p>
        <p>{pl("plan.keeps")}</p>
        {total > 0 && (
          <p className="note" data-tone={inTest ? "warn" : "none"}>
            {t(inTest ? "checkout.testNote" : "checkout.liveNote")}
          </p>
        )}
        {renew.isError && <Refused error={renew.error} />}
        <p className="row">
          <Button type="button" className="button primary" busy={busy} onClick={() => renew.mutate()}>
            {total === 0 ? pl("plan.renew") : t(inTest ? "checkout.test" : "checkout.pay", { price: cost })}
          </Button>
          <span className="soft small" role="status">
            {bought.leaving ? t("checkout.leaving") : busy && t("checkout.working")}
          </span>
        </p>
      </section>
    </>
  );
};

interface CodesProps {
  product: Product;
  tier: Tier;
  deal: Deal | null;
  lasting: Deal | null;
  onDeal: (deal: Deal | null) => void;
}

// Codes are the one that holds for every renewal, and the field for another.
const Codes = ({ product, tier, deal, lasting, onDeal }: CodesProps) => {
  const [asks, setAsks] = useState(false);
  return (
    <>
      {lasting && <p className="small">{pl("plan.lasting", { code: lasting.code })}</p>}
      {tier.price > 0 &&
        (asks ? (
          <Discount slug={product.slug} tier={tier.id} recurs={false} first="" deal={deal} onDeal={onDeal} />
        ) : (
          <button type="button" className="button slim" onClick={() => setAsks(true)}>
            {t("checkout.code")}
          </button>
        ))}
    </>
  );
};

// lastingDeal is what the code with which a license was bought takes off each renewal. What it takes off another
// price than that of the purchase is known only when the renewal is placed.
const lastingDeal = (order: SeenOrder | null, tier: Tier): Deal | null => {
  const of = order?.discount;
  if (of?.duration !== "forever" || order?.tierId !== tier.id || order.amount + of.amount !== tier.price) return null;
  return { code: of.code, discount: of.amount, total: order.amount };
};

const termOf = ({ expiresAt, status }: License, tier: Tier): string => {
  const period = tier.billingPeriod === "yearly" ? "yearly" : "monthly";
  return status === "expired" || !expiresAt
    ? pl(`plan.anew.${period}`)
    : pl(`plan.adds.${period}`, { date: formatDay(expiresAt) });
};

const Refused = ({ error }: { error: unknown }) => {
  const { code, details } = asProblem(error);
  const open = details["orderId"];
  return code === "CONFLICT" && typeof open === "string" ? <OpenOrder id={open} /> : <Failure error={error} />;
};
