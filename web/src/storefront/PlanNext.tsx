// What a license says of its plan: what it changes to, and the ways to a change and a renewal.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, ok, type Schemas } from "../api/client";
import { language } from "../text";
import { formatDay } from "../text/format";
import { useAttempt, type License } from "./data";
import { pl } from "./planText";
import "./plan.css";
import { go, useLeaving } from "./router";
import { seenAs } from "./Subscription";
import { Button, Failure, Told } from "./ui";

// OnDone hears what came of a change or a renewal, in a sentence.
export type OnDone = (told: string) => void;

type Answer = Schemas["PurchaseResult"] | Schemas["OwnLicenseAnswer"] | Schemas["PlanPreview"];

export type Product = Schemas["ProductDetail"];

// useProduct reads the product of a license, which need not be for sale to others any more.
export const useProduct = ({ id }: License, enabled = true) =>
  useQuery({
    queryKey: ["licenses", "product", id],
    enabled,
    queryFn: (): Promise<Product> =>
      ok(api.GET("/api/marketplace/licenses/{id}/product", { params: { path: { id }, query: { lang: language } } })),
  });

// useBought goes on after a change or a renewal: to the payment, or back to the license.
export const useBought = (license: License, onDone: OnDone) => {
  const queries = useQueryClient();
  const { leaving, leave } = useLeaving();
  const done = async (answer: Answer, told: string) => {
    if ("paymentUrl" in answer && answer.paymentUrl) return leave(answer.paymentUrl);
    await Promise.all(["orders", "licenses"].map((key) => queries.invalidateQueries({ queryKey: [key] })));
    onDone(told);
    go(`/licenses/${license.id}`, true);
  };
  return { done, leaving };
};

// NextPlan says what a license changes to, and when.
export const NextPlan = ({ license }: { license: License }) => {
  const { next } = license;
  const product = useProduct(license, next !== undefined);
  if (!next) return null;
  const plan = product.data?.pricingTiers.find((one) => one.id === next.tierId)?.name ?? next.tierId;
  return <span>{next.at ? pl("plan.next", { plan, date: formatDay(next.at) }) : pl("plan.nextOpen", { plan })}</span>;
};

// OpenOrder says that another order of the license is in the way.
export const OpenOrder = ({ id }: { id: string }) => (
  <div className="note" data-tone="warn" role="alert">
    <p>{pl("plan.open")}</p>
    <p>
      <a className="button slim" href={`/orders/${id}`}>
        {pl("plan.toOrder")}
      </a>
    </p>
  </div>
);

interface WaysProps {
  license: License;
  renews: boolean; // a payment provider renews it
  told: string; // what came of the last change or renewal
  onDone: OnDone;
}

// Ways are what the owner can do about a license's plan and term.
export const Ways = ({ license, renews, told, onDone }: WaysProps) => {
  const { id, type, next } = license;
  if (seenAs || license.trial || !license.paid || license.status === "revoked") return null;
  const renewable = type === "subscription" && license.expiresAt && !renews;
  return (
    <div className="ways">
      <Told>{told && <span>{told}</span>}</Told>
      <div className="row">
        {next ? (
          <Keep license={license} onDone={onDone} />
        ) : (
          <a className="button" href={`/licenses/${id}?change`}>
            {pl("plan.change")}
          </a>
        )}
        {renewable && (
          <a className="button" href={`/licenses/${id}?renew`}>
            {pl("plan.renew")}
          </a>
        )}
      </div>
    </div>
  );
};

// Keep takes back a change that waits for the next period.
const Keep = ({ license, onDone }: { license: License; onDone: OnDone }) => {
  const headers = useAttempt();
  const { done } = useBought(license, onDone);
  const body = { tierId: license.tierId };
  const keep = useMutation({
    mutationFn: () =>
      ok(
        api.POST("/api/marketplace/licenses/{id}/change", {
          params: { path: { id: license.id }, header: headers({ ...body, at: license.next?.at }) },
          body,
        }),
      ),
    onSuccess: (answer) => done(answer, pl("plan.kept", { plan: license.tierName })),
  });
  return (
    <>
      <Button type="button" className="button" busy={keep.isPending} onClick={() => keep.mutate()}>
        {pl("plan.keep", { plan: license.tierName })}
      </Button>
      {keep.isError && <Failure error={keep.error} />}
    </>
  );
};
