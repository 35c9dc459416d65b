// Trials at the checkout: starting one, and buying in place of one. Few do either, and who has nothing yet does not
// load it.
import { useMutation } from "@tanstack/react-query";
import { useEffect, type FormEvent } from "react";
import section from "../../texts/en.json?section=shop&only=trial";
import { api, ok, type Schemas } from "../api/client";
import { asProblem } from "../api/problem";
import { useSession } from "../api/useSession";
import { texts } from "../text";
import { useAttempt, useLicense, useLicenses, type License } from "./data";
import { keepOrder } from "./kept";
import { go } from "./router";
import { c } from "./text";
import { Button, Failure, Field, Head, useFaults } from "./ui";

const tr = texts(section);

type Product = Schemas["ProductDetail"];

export interface TrialProps {
  product: Product;
  tier: Product["pricingTiers"][number];
}

// Trial starts one. It is called at the address of the checkout with ?try.
export const Trial = ({ product, tier }: TrialProps) => {
  const session = useSession();
  const { faults, form, check } = useFaults<"email">();
  const headers = useAttempt();
  const start = useMutation({
    mutationFn: (email: string) => {
      const body = email ? { tierId: tier.id, email } : { tierId: tier.id };
      return ok(
        api.POST("/api/marketplace/products/{slug}/trial", {
          params: { path: { slug: product.slug }, header: headers(body) },
          body,
        }),
      );
    },
    onSuccess: (done, email) => {
      keepOrder({
        id: done.orderId,
        licenseKey: done.licenseKey,
        slug: product.slug,
        productName: product.name,
        tierId: tier.id,
        tierName: tier.name,
        amount: 0,
        currency: tier.currency,
        email: email || (session?.user.email ?? ""),
        name: "",
        company: "",
        userId: session?.user.id ?? "",
        paymentUrl: "",
        at: new Date().toISOString(),
      });
      go(`/orders/${done.orderId}`, true);
    },
  });
  const send = (e: FormEvent<HTMLFormElement>) => {
    e.preventDefault();
    const email = String(new FormData(e.currentTarget).get("email") ?? "").trim();
    const fine = session !== null || /^[^\s@]+@[^\s@]+$/.test(email);
    if (check(fine ? {} : { email: tr("trial.badEmail") }) && !start.isPending) start.mutate(email);
  };
  const buy = `/checkout/${product.slug}/${encodeURIComponent(tier.id)}`;
  const used = start.error && asProblem(start.error).code === "TRIAL_USED";
  return (
    <>
      <Head title={tr.count("trial.title", tier.trialDays ?? 0, { product: product.name })} />
      <form className="form" ref={form} onSubmit={send} noValidate aria-label={tr("trial.start")}>
        <p>
          {tr("trial.plan")}: {tier.name}
        </p>
        <p>{tr("trial.how")}</p>
        {session ? (
          <p>{tr("trial.as", { email: session.user.email })}</p>
        ) : (
          <Field
            label={c("email")}
            name="email"
            type="email"
            autoComplete="email"
            hint={tr("trial.emailWhy")}
            required
            fault={faults.email}
          />
        )}
        {used ? (
          <p className="note" role="alert">
            {tr("trial.used")}
          </p>
        ) : (
          start.error && <Failure error={start.error} />
        )}
        <p className="row">
          <Button className="button primary" busy={start.isPending}>
            {tr("trial.start")}
          </Button>
          <a className="button" href={buy}>
            {tr("trial.buy")}
          </a>
        </p>
      </form>
    </>
  );
};

export interface OwnedProps {
  product: Product;
  trial: string | null; // the key of the trial that is bought; null: not known yet
  onTrial: (found: { of: string; key: string }) => void; // of a user; "" for a guest
}

// Owned says what a purchase is to somebody who has the product, or tries it.
export const Owned = (props: OwnedProps) => (useSession() ? <Account {...props} /> : <Key {...props} />);

const isTrial = ({ trial, status }: License): boolean => trial === true && status !== "revoked";

// Account names the plans of the product that the buyer has: the purchase is a license of its own, and takes no other's
// place, but that of a trial.
const Account = ({ product, trial, onTrial }: OwnedProps) => {
  const id = new URLSearchParams(location.search).get("license"); // whoever comes from a trial names it
  const named = useLicense(id ?? "", id !== null);
  const latest = useLicenses(1);
  const mine = (latest.data?.licenses ?? []).filter((one) => one.productSlug === product.slug && one.paid);
  const key =
    [named.data, ...mine].find((one) => one && isTrial(one) && one.productSlug === product.slug)?.licenseKey ?? "";
  const asked = [latest, ...(id === null ? [] : [named])];
  const known = asked.every((one) => one.data !== undefined);
  const of = useSession()?.user.id ?? "";
  useEffect(() => {
    if (known) onTrial({ of, key });
  }, [known, of, key, onTrial]);
  const failed = asked.find((one) => one.isError && one.data === undefined);
  if (failed) return <Failure error={failed.error} retry={() => asked.forEach((one) => void one.refetch())} />;
  const works = mine.filter((one) => one.status === "active");
  if (trial)
    return (
      <p className="note" role="status">
        {tr("trial.buys", { product: product.name })}
      </p>
    );
  if (works.length === 0) return null;
  const plans = [...new Set(works.map((one) => one.tierName))].join(", ");
  return (
    <p className="note" role="status">
      {tr("trial.owned", { plans, product: product.name })} <a href="/licenses">{tr("trial.ownedSee")}</a>
    </p>
  );
};

// Key asks a guest for the key of the trial.
const Key = ({ trial, onTrial }: OwnedProps) => (
  <Field
    label={tr("trial.key")}
    name="trial"
    autoComplete="off"
    autoCapitalize="characters"
    spellCheck={false}
    maxLength={60}
    hint={tr("trial.keyWhy")}
    value={trial ?? ""}
    onChange={(e) => onTrial({ of: "", key: e.target.value.trim() })}
  />
);
