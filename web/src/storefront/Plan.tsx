// A change of a license's plan: choosing one, what it costs, and what stands in its way.
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { api, ok, type Schemas } from "../api/client";
import { asProblem, Problem } from "../api/problem";
import { formatDay, formatMoney } from "../text/format";
import { t } from "./boughtText";
import { useAttempt, type License } from "./data";
import { price } from "./paid";
import { OpenOrder, useBought, useProduct, type OnDone, type Product } from "./PlanNext";
import { pl } from "./planText";
import { Button, Failure, Gone, Head, Waiting } from "./ui";

export type Tier = Product["pricingTiers"][number];
type Preview = Schemas["PlanPreview"];

const inTest = document.documentElement.dataset["payments"] === "test";

export interface PlanProps {
  license: License;
  onDone: OnDone;
}

// ChangePlan is called at the address of a license with ?change.
export const ChangePlan = ({ license, onDone }: PlanProps) => (
  <Plans license={license} title={pl("plan.changeOf", { product: license.productName })}>
    {(product) => <Change license={license} product={product} onDone={onDone} />}
  </Plans>
);

interface PlansProps {
  license: License;
  title: string;
  children: (product: Product) => ReactNode;
}

// Plans is a page about the plans of a license's product.
export const Plans = ({ license, title, children }: PlansProps) => {
  const product = useProduct(license);
  if (product.isPending) return <Waiting like="checkout" />;
  if (product.error instanceof Problem && product.error.status === 404)
    return (
      <Gone title={pl("plan.gone")} how={pl("plan.goneHow")}>
        <a className="button" href={`/licenses/${license.id}`}>
          {pl("plan.back")}
        </a>
      </Gone>
    );
  if (product.isError) return <Failure error={product.error} retry={() => void product.refetch()} />;
  return (
    <>
      <nav className="crumbs">
        <a href="/licenses">{t("licenses.title")}</a> / <a href={`/licenses/${license.id}`}>{license.productName}</a>
      </nav>
      <Head title={title} />
      <div className="checkout">{children(product.data)}</div>
    </>
  );
};

// usePreview asks what a change to a tier would cost.
const usePreview = (license: License, tierId: string) =>
  useQuery({
    queryKey: ["licenses", "preview", license.id, tierId],
    enabled: tierId !== "",
    gcTime: 0, // it changes by the second
    queryFn: async () =>
      (await ok(
        api.POST("/api/marketplace/licenses/{id}/change", {
          params: { path: { id: license.id } },
          body: { tierId, preview: true },
        }),
      )) as Preview,
  });

const Change = ({ license, product, onDone }: PlanProps & { product: Product }) => {
  const [chosen, setChosen] = useState("");
  const tier = product.pricingTiers.find((one) => one.id === chosen);
  const preview = usePreview(license, chosen);
  const headers = useAttempt();
  const bought = useBought(license, onDone);
  const change = useMutation({
    mutationFn: (tierId: string) =>
      ok(
        api.POST("/api/marketplace/licenses/{id}/change", {
          params: { path: { id: license.id }, header: headers({ tierId }) },
          body: { tierId },
        }),
      ),
    onSuccess: (answer) => bought.done(answer, pl("plan.changed", { plan: tier?.name ?? chosen })),
  });
  const busy = change.isPending || bought.leaving;
  const refusal = change.error ?? preview.error;
  const due = preview.data?.amountDue ?? 0;
  const cost = formatMoney(due, preview.data?.currency ?? "EUR");
  const choose = (tierId: string) => {
    setChosen(tierId);
    change.reset();
  };
  return (
    <>
      <div className="form">
        <fieldset className="choices">
          <legend>{pl("plan.choose")}</legend>
          {product.pricingTiers.map((one) => (
            <Choice
              key={one.id}
              tier={one}
              mine={one.id === license.tierId}
              checked={one.id === chosen}
              onChoose={choose}
            />
          ))}
        </fieldset>
        {tier && refusal && <Refusal error={refusal} license={license} tier={tier} product={product} />}
      </div>
      {!refusal && <Costs license={license} tier={tier} preview={preview.data} />}
      {preview.data && tier && !refusal && (
        <div className="form choices-end">
          {due > 0 && <HowPaid license={license} />}
          <p className="row">
            <Button type="button" className="button primary" busy={busy} onClick={() => change.mutate(tier.id)}>
              {due === 0 ? pl("plan.change") : t(inTest ? "checkout.test" : "checkout.pay", { price: cost })}
            </Button>
            <span className="soft small" role="status">
              {bought.leaving ? t("checkout.leaving") : busy && t("checkout.working")}
            </span>
          </p>
        </div>
      )}
    </>
  );
};

interface ChoiceProps {
  tier: Tier;
  mine: boolean;
  checked: boolean;
  onChoose: (tierId: string) => void;
}

const Choice = ({ tier, mine, checked, onChoose }: ChoiceProps) => (
  <label className="choice">
    <input
      type="radio"
      name="tier"
      value={tier.id}
      disabled={mine}
      checked={checked}
      onChange={() => onChoose(tier.id)}
    />
    <span>
      <strong>{tier.name}</strong> {mine && <span className="soft">· {pl("plan.mine")}</span>}
    </span>
    <span className="small soft">
      {price({ amount: tier.price, currency: tier.currency, billingPeriod: tier.billingPeriod })} ·{" "}
      {t.count("page.seats", tier.maxInstances)}
    </span>
  </label>
);

const HowPaid = ({ license }: { license: License }) => (
  <p className="note" data-tone={inTest ? "warn" : "none"}>
    {inTest ? t("checkout.testNote") : license.type === "subscription" ? pl("plan.card") : t("checkout.liveNote")}
  </p>
);

interface CostsProps {
  license: License;
  tier: Tier | undefined;
  preview: Preview | undefined;
}

// Costs are what a change costs and when it begins.
const Costs = ({ license, tier, preview }: CostsProps) => (
  <aside aria-label={t("checkout.summary")} aria-live="polite">
    {!tier ? (
      <p className="soft">{pl("plan.chooseHow")}</p>
    ) : preview ? (
      <Previewed license={license} tier={tier} preview={preview} />
    ) : (
      <Waiting />
    )}
  </aside>
);

const Previewed = ({ license, tier, preview }: { license: License; tier: Tier; preview: Preview }) => {
  const { amountDue, credit, currency, effectiveAt } = preview;
  const later =
    license.expiresAt !== undefined && new Date(effectiveAt).getTime() >= new Date(license.expiresAt).getTime();
  return (
    <>
      <h2>{license.productName}</h2>
      <dl className="lines">
        <div>
          <dt>{tier.name}</dt>
          <dd>{price({ amount: tier.price, currency: tier.currency, billingPeriod: tier.billingPeriod })}</dd>
        </div>
        {credit > 0 && (
          <div>
            <dt>{pl("plan.credit")}</dt>
            <dd>{formatMoney(-credit, currency)}</dd>
          </div>
        )}
        <div className="total">
          <dt>{pl("plan.due")}</dt>
          <dd>{formatMoney(amountDue, currency)}</dd>
        </div>
      </dl>
      <p className="small">
        {later
          ? pl("plan.later", { date: formatDay(effectiveAt) })
          : pl(amountDue > 0 ? "plan.whenPaid" : "plan.atOnce")}
      </p>
      <p className="small">{pl("plan.keeps")}</p>
    </>
  );
};

interface RefusalProps {
  error: unknown;
  license: License;
  tier: Tier;
  product: Product;
}

// Refusal says why a license cannot have a plan, and what to do. The server's words for it are English, and one code
// stands for all of them: what differs is known here.
const Refusal = ({ error, license, tier, product }: RefusalProps) => {
  const { code, details } = asProblem(error);
  const { instances, maxInstances, orderId } = details as {
    instances?: string[];
    maxInstances?: number;
    orderId?: string;
  };
  if (code === "SEATS_IN_USE")
    return (
      <div className="note" data-tone="warn" role="alert">
        <p>{pl.count("plan.seats", maxInstances ?? tier.maxInstances, { plan: tier.name })}</p>
        <ul className="effects">
          {(instances ?? []).map((one) => (
            <li key={one}>
              <code>{one}</code>
            </li>
          ))}
        </ul>
        <p>
          <a className="button slim" href={`/licenses/${license.id}`}>
            {pl("plan.free")}
          </a>
        </p>
      </div>
    );
  if (code !== "CONFLICT") return <Failure error={error} />;
  if (orderId) return <OpenOrder id={orderId} />;
  return (
    <p className="note" data-tone="warn" role="alert">
      {pl(`plan.refused.${reasonOf(license, tier, product)}`)}
    </p>
  );
};

const reasonOf = (license: License, tier: Tier, product: Product): "way" | "currency" | "cheaper" | "other" => {
  if ((license.type === "subscription") !== /ly$/.test(tier.billingPeriod ?? "")) return "way";
  const mine = product.pricingTiers.find((one) => one.id === license.tierId);
  if (mine && mine.currency !== tier.currency) return "currency";
  return license.type === "subscription" ? "other" : "cheaper";
};
