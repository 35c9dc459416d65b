import { useMutation, useQuery } from "@tanstack/react-query";
import { Suspense, useEffect, useRef, useState, type FormEvent } from "react";
import { api, ok, type Schemas } from "../api/client";
import { Problem } from "../api/problem";
import { useSession } from "../api/useSession";
import { formatMoney } from "../text/format";
import { inAdvance, loadOrder } from "./ahead";
import { productQuery, readOrder, useAttempt, useShop } from "./data";
import type { Deal, DiscountProps } from "./Discount";
import type { HandoffProps } from "./Handoff";
import { keepOrder, keptOrders, type KeptOrder } from "./kept";
import { later } from "./later";
import { go, useLeaving } from "./router";
import { c, t } from "./text";
import type { OwnedProps, TrialProps } from "./Trial";
import { Gone, Failure, Field, Head, Summary, useFaults, Waiting } from "./ui";

type Product = Schemas["ProductDetail"];
type Tier = Product["pricingTiers"][number];
interface Billing {
  name: string;
  email: string;
  company: string;
}

// Few have a code: its field is loaded for them.
const Discount = later<DiscountProps>(() => import("./Discount"), "Discount");
const loadTrial = () => import("./Trial");
const Trial = later<TrialProps>(loadTrial, "Trial");
const Owned = later<OwnedProps>(loadTrial, "Owned");
const Handoff = later<HandoffProps>(() => import("./Handoff"), "Handoff");

const asked = (name: string) => new URLSearchParams(location.search).get(name);

const inTest = document.documentElement.dataset["payments"] === "test";

export const CheckoutPage = ({ slug, tier: tierId }: { slug: string; tier: string }) => {
  const product = useQuery(productQuery(slug));
  const [deal, setDeal] = useState<Deal | null>(null);
  const [code, setCode] = useState(() => asked("code"));
  if (product.isPending) return <Waiting like="checkout" />;
  const missing = product.error instanceof Problem && product.error.status === 404;
  if (product.isError && !missing) return <Failure error={product.error} retry={() => void product.refetch()} />;
  const tier = product.data?.pricingTiers.find((one) => one.id === tierId);
  const handoff = asked("handoff"); // is for this plan: the product's page would forget it
  if (!product.data || !tier) {
    const home = missing || handoff;
    return (
      <Gone title={t("checkout.gone")} how={t("checkout.goneHow")}>
        <a className="button" href={home ? "/" : `/p/${slug}`}>
          {t(home ? "page.home" : "checkout.change")}
        </a>
      </Gone>
    );
  }
  if (tier.trialDays && asked("try") !== null) return <Trial product={product.data} tier={tier} />;
  const bought: Bought = { product: product.data, tier, deal, total: deal?.total ?? tier.price, handoff };
  const page = (
    <>
      <Head title={t("checkout.title")} />
      <div className="checkout">
        <Summary {...bought}>
          {tier.price > 0 && tier.billingPeriod && (
            <p className="soft small">{t(`checkout.renews.${tier.billingPeriod}`)}</p>
          )}
          <p className="small">{t.count("page.seats", tier.maxInstances)}</p>
          {tier.price > 0 &&
            (code === null ? (
              <button className="button slim" onClick={() => setCode("")}>
                {t("checkout.code")}
              </button>
            ) : (
              <Suspense>
                <Discount
                  slug={slug}
                  tier={tierId}
                  recurs={/ly$/.test(tier.billingPeriod ?? "")}
                  first={code}
                  deal={deal}
                  onDeal={setDeal}
                />
              </Suspense>
            ))}
          {!handoff && (
            <p className="small">
              <a href={`/p/${slug}#plans`}>{t("checkout.change")}</a>
            </p>
          )}
        </Summary>
        <Details {...bought} />
      </div>
    </>
  );
  return handoff ? (
    <Suspense>
      <Handoff>{page}</Handoff>
    </Suspense>
  ) : (
    page
  );
};

interface Bought {
  product: Product;
  tier: Tier;
  deal: Deal | null; // with a discount code that holds
  total: number;
  handoff: string | null; // to another stoa; null for a license of the buyer's own
}

// startedOrder is the order of the same plan whose payment this tab started last.
const startedOrder = ({ product, tier, handoff }: Bought): KeptOrder | undefined =>
  keptOrders().find(
    (one) => one.paymentUrl !== "" && one.slug === product.slug && one.tierId === tier.id && one.handoff === handoff,
  );

// unpaid returns the started order if buying again would only repeat it: the same details at
// the same price, and still not paid. Its payment page is open, so no second order is placed.
const unpaid = async (of: Bought, billing: Billing, userId: string) => {
  const { tier, total } = of;
  const one = startedOrder(of);
  if (!one || one.userId !== userId || one.amount !== total || one.currency !== tier.currency) return null;
  if (one.email !== billing.email || one.name !== billing.name || one.company !== billing.company) return null;
  const order = await readOrder(one.id, one.licenseKey, userId !== "");
  return order?.status === "pending"
    ? { orderId: one.id, licenseKey: one.licenseKey, paymentUrl: one.paymentUrl }
    : null;
};

// usePurchase buys once, however often the button is pressed: what is sent again has the
// key of the first time.
const usePurchase = (of: Bought, userId: string, trial: string | null) => {
  const { product, tier, deal, total, handoff } = of;
  const headers = useAttempt();
  const { leaving, leave } = useLeaving();
  const purchase = useMutation({
    onMutate: () => inAdvance(loadOrder),
    mutationFn: async (billing: Billing) => {
      const again = await unpaid(of, billing, userId);
      if (again) return again;
      const body = {
        tierId: tier.id,
        paymentMethod: "card",
        billingInfo: billing,
        ...(deal && { discountCode: deal.code }),
        ...(trial && { licenseKey: trial }),
        ...(handoff && { handoffId: handoff }),
      };
      return ok(
        api.POST("/api/marketplace/products/{slug}/purchase", {
          params: { path: { slug: product.slug }, header: headers(body) },
          body,
        }),
      );
    },
    onSuccess: (done, billing) => {
      keepOrder({
        id: done.orderId,
        licenseKey: done.licenseKey,
        slug: product.slug,
        productName: product.name,
        tierId: tier.id,
        tierName: tier.name,
        billingPeriod: tier.billingPeriod,
        amount: total,
        currency: tier.currency,
        deal,
        ...billing,
        userId,
        paymentUrl: done.paymentUrl ?? "",
        at: new Date().toISOString(),
        handoff,
      });
      // The state of the handoff has changed.
      if (!done.paymentUrl) return handoff ? location.reload() : go(`/orders/${done.orderId}`, true);
      leave(done.paymentUrl);
    },
  });
  return { ...purchase, busy: purchase.isPending || leaving, leaving };
};

const Details = (of: Bought) => {
  const { product, tier, total, handoff } = of;
  const session = useSession();
  // The trial that is bought; null until the account is known to have one or none: a purchase before that could be a
  // second license beside it.
  const [found, setFound] = useState({ of: "", key: "" });
  const [waits, setWaits] = useState(false);
  const buyer = handoff ? "" : (session?.user.id ?? "");
  const trial = found.of === buyer ? found.key : buyer ? null : "";
  const purchase = usePurchase(of, session?.user.id ?? "", trial);
  const [typed] = useState(() => startedOrder(of)); // before the buyer left for the payment page
  const { faults, form, check } = useFaults<"email">();
  const free = total === 0;
  const send = (e: FormEvent<HTMLFormElement>) => {
    e.preventDefault();
    const values = new FormData(e.currentTarget);
    const text = (name: string) => String(values.get(name) ?? "").trim();
    const billing = { name: text("name"), email: text("email"), company: text("company") };
    const fine = /^[^\s@]+@[^\s@]+$/.test(billing.email);
    if (!check(fine ? {} : { email: t("checkout.badEmail") }) || purchase.busy) return;
    setWaits(trial === null);
    if (trial !== null) purchase.mutate(billing);
  };
  const terms = useShop().data?.termsUrl;
  const back = asked("payment") === "cancelled";
  const price = formatMoney(total, tier.currency);
  const label = t(free ? "checkout.free" : inTest ? "checkout.test" : "checkout.pay", { price });
  return (
    <form className="form" ref={form} onSubmit={send} noValidate aria-label={t("checkout.details")}>
      {back && (
        <p className="note" data-tone="warn" role="status">
          {t("checkout.back")}
        </p>
      )}
      <p>
        {session ? (
          t("checkout.as", { email: session.user.email })
        ) : (
          <>
            {t("checkout.guest")}
            <a href={`/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`}>
              {t("checkout.guestSignIn")}
            </a>
            {t("checkout.guestWhy")}
          </>
        )}
      </p>
      {!handoff && (session || asked("trial") !== null) && (
        <Suspense>
          <Owned product={product} trial={trial} onTrial={setFound} />
        </Suspense>
      )}
      <Field
        key={session?.user.id ?? ""}
        label={c("email")}
        name="email"
        type="email"
        autoComplete="email"
        hint={t("checkout.emailWhy")}
        defaultValue={typed?.email ?? session?.user.email}
        required
        fault={faults.email}
      />
      <Field label={t("checkout.name")} name="name" autoComplete="name" maxLength={200} defaultValue={typed?.name} />
      <Field
        label={t("checkout.company")}
        name="company"
        autoComplete="organization"
        maxLength={200}
        defaultValue={typed?.company}
      />
      {!free && (
        <p className="note" data-tone={inTest ? "warn" : "none"}>
          {t(inTest ? "checkout.testNote" : "checkout.liveNote")}
        </p>
      )}
      {purchase.error && <Failure error={purchase.error} />}
      {terms && (
        <p className="soft small">
          {t("checkout.terms")}
          <a href={terms} target="_blank" rel="noreferrer">
            {t("checkout.termsLink")}
          </a>
          .
        </p>
      )}
      <Buy
        label={label}
        off={trial === null}
        state={
          purchase.leaving
            ? t("checkout.leaving")
            : purchase.busy
              ? t("checkout.working")
              : waits && trial === null
                ? t("loading")
                : ""
        }
      />
    </form>
  );
};

const Buy = ({ label, state, off }: { label: string; state: string; off: boolean }) => {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (state) button.current?.focus();
  }, [state]);
  return (
    <p className="row">
      <button ref={button} className="button primary" aria-disabled={off || state !== ""}>
        {label}
      </button>
      <span className="soft small" role="status">
        {state}
      </span>
    </p>
  );
};
