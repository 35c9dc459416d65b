// The form with which a package is got: the permissions it is given, the way, and what the way needs.
import { Button, Checkbox, Radio, Select, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState, type FormEvent } from "react";
import { api, data } from "../../api/client";
import { asProblem } from "../../api/problem";
import { useSession } from "../../api/useSession";
import { mayGrant } from "../extensions/grant";
import { AllowTypes, missingTypes } from "../extensions/install/AllowTypes";
import { Faults } from "../extensions/install/Faults";
import { Result } from "../extensions/install/Result";
import { readManifest } from "../extensions/manifest";
import { meaning } from "../extensions/Permissions";
import { permissionName } from "../kit/may";
import { Section } from "../kit/Page";
import { Bar } from "../kit/Pending";
import { useFaults } from "../kit/useFaults";
import { t } from "../text";
import { addressOf } from "./addresses";
import type { Market, Offer, Tier } from "./data";
import { priceOf } from "./offers";
import { useOrder, type Order } from "./order";
import { nameOf } from "./state";
import { m } from "./text";

type Pack = NonNullable<Offer["package"]>;
type Here = "new" | "update" | "installed";
type Way = Order["way"];

interface GetProps {
  market: Market;
  offer: Offer;
  pack: Pack;
  here: Here;
}

// waysOf are the ways that make sense here: what is installed has a key, and is tried no more.
const waysOf = ({ ways }: Offer, here: Here): Way[] => {
  if (here === "new") return ways;
  const more = ways.filter((way) => way === "buy" || way === "key");
  return here === "update" ? ["update", ...more] : more;
};

export const Get = (props: GetProps) => {
  const { offer, pack, here } = props;
  const had = useHad(pack, here !== "new");
  const ways = waysOf(offer, here);
  if (ways.length === 0) return null;
  if (had === undefined) return <Bar height={120} />;
  return <Form {...props} ways={ways} asked={pack.permissions.filter((name) => !had.includes(name))} />;
};

// useHad are the permissions that the installed version declares; undefined until they are known.
const useHad = ({ kind, slug }: Pack, installed: boolean): string[] | undefined => {
  const { data: found, isError } = useQuery({
    queryKey: ["extensions", kind, slug, "declared"],
    enabled: installed,
    queryFn: () => data(api.GET("/api/v1/admin/extensions/{kind}/{slug}", { params: { path: { kind, slug } } })),
  });
  if (!installed || isError) return [];
  return found ? readManifest(found.manifestJson).permissions : undefined;
};

const Form = ({ market, offer, pack, here, ways, asked }: GetProps & { ways: Way[]; asked: string[] }) => {
  const { productSlug, name, tiers } = offer;
  const wanted = (useSearch({ strict: false }) as { way?: Way }).way;
  const [way, setWay] = useState<Way>(wanted && ways.includes(wanted) ? wanted : (ways[0] as Way));
  const [grants, setGrants] = useState(here === "new" ? asked.filter(mayGrant) : []);
  const plans = tiers.filter((tier) => (way === "trial" ? tier.trialDays > 0 : tier.price > 0));
  const [chosen, setChosen] = useState(plans[0]?.tierId);
  const plan = plans.find(({ tierId }) => tierId === chosen) ?? plans[0];
  const [email, setEmail] = useState(useSession()?.user.email ?? "");
  const [licenseKey, setLicenseKey] = useState("");
  const order = useOrder(market.market, productSlug);
  const navigate = useNavigate();
  const { issues, at } = useFaults(order.error, { email, licenseKey });
  const problem = order.isError ? asProblem(order.error) : null;
  const other = problem?.details["operationId"]; // the purchase of it that is not over
  const send = () => {
    // A tab that is opened after the answer would count as a popup.
    const tab = way === "buy" ? window.open("about:blank", "_blank") : null;
    order.mutate(orderOf(way, grants, plan, email.trim(), licenseKey.trim()), {
      onSuccess: (begun) => {
        if (!("operationId" in begun)) return;
        if (tab && begun.checkoutUrl) {
          tab.opener = null;
          tab.location.href = begun.checkoutUrl;
        }
        void navigate({
          to: addressOf(market.market) as string,
          search: { operation: begun.operationId } as never,
          replace: true,
        });
      },
      onError: () => tab?.close(),
    });
  };
  if (order.data && !("operationId" in order.data))
    return <Result installed={order.data} kind={pack.kind} onClose={() => undefined} />;
  const missing = problem ? missingTypes(problem) : undefined;
  return (
    <Section title={m(`markets.get.title.${here}`)}>
      <form
        className="form"
        noValidate
        onSubmit={(e: FormEvent) => {
          e.preventDefault();
          send();
        }}>
        <Consent here={here} asked={asked} grants={grants} onGrants={setGrants} />
        {ways.length > 1 && (
          <Radio.Group label={m("markets.get.way")} value={way} onChange={(value) => setWay(value as Way)}>
            <div className="consent">
              {ways.map((value) => (
                <Radio key={value} value={value} label={m(`markets.get.ways.${value}`)} />
              ))}
            </div>
          </Radio.Group>
        )}
        {(way === "buy" || way === "trial") && plan && (
          <Select
            label={m("markets.get.plan")}
            data={plans.map((tier) => ({ value: tier.tierId, label: m("markets.get.planOf", planWords(tier)) }))}
            value={plan.tierId}
            onChange={(value) => setChosen(value ?? undefined)}
          />
        )}
        {way === "buy" && <p className="soft flat">{m("markets.get.buyHow", { market: nameOf(market) })}</p>}
        {way === "trial" && (
          <TextInput
            label={m("markets.get.email")}
            description={m("markets.get.emailHow")}
            type="email"
            required
            value={email}
            error={at("email")}
            onChange={(e) => setEmail(e.currentTarget.value)}
          />
        )}
        {way === "key" && (
          <TextInput
            label={t("plugins.market.key")}
            description={m("markets.get.keyHow", { product: name })}
            required
            autoComplete="off"
            spellCheck={false}
            value={licenseKey}
            error={at("licenseKey")}
            onChange={(e) => setLicenseKey(e.currentTarget.value)}
          />
        )}
        {typeof other === "string" ? (
          <p className="note" data-tone="warn" role="alert">
            {m("markets.operation.other")}{" "}
            <Link to={addressOf(market.market) as string} search={{ operation: other } as never}>
              {m("markets.operation.show")}
            </Link>
          </p>
        ) : (
          problem && issues.every(({ path }) => !at(path ?? "")) && <Faults problem={problem} />
        )}
        {missing && <AllowTypes missing={missing} again={send} />}
        <div className="row">
          <Button
            type="submit"
            variant="filled"
            loading={order.isPending}
            disabled={(way === "key" && licenseKey.trim() === "") || (way === "trial" && email.trim() === "")}>
            {action(way, here, offer, plan)}
          </Button>
        </div>
      </form>
    </Section>
  );
};

const orderOf = (way: Way, grants: string[], plan: Tier | undefined, email: string, licenseKey: string): Order => {
  const tierId = plan?.tierId ?? "";
  switch (way) {
    case "trial":
      return { way, grants, tierId, email };
    case "buy":
      return { way, grants, tierId };
    case "key":
      return { way, grants, licenseKey };
    default:
      return { way, grants };
  }
};

const planWords = (tier: Tier) => ({ plan: tier.name, price: priceOf(tier) });

// action is what the button does, as a verb with its object.
const action = (way: Way, here: Here, { package: pack }: Offer, plan: Tier | undefined): string => {
  if (way === "update") return t("plugins.market.button", { version: pack?.version ?? "" });
  if (way === "trial") return m.count("markets.get.try", plan?.trialDays ?? 0);
  if (way === "buy" && plan) return m("markets.get.buy", { price: priceOf(plan) });
  if (here === "installed") return m("markets.get.replace");
  return m("markets.get.title.new");
};

interface ConsentProps {
  here: Here;
  asked: string[];
  grants: string[];
  onGrants: (grants: string[]) => void;
}

// Consent has a box for each permission that a version asks for, beyond those of the installed one.
const Consent = ({ here, asked, grants, onGrants }: ConsentProps) => {
  if (asked.length === 0) return here === "new" ? <p className="soft flat">{t("plugins.permissions.none")}</p> : null;
  const toggle = (name: string, on: boolean) => onGrants(on ? [...grants, name] : grants.filter((p) => p !== name));
  return (
    <Checkbox.Group
      label={here === "new" ? m("markets.get.may") : t("plugins.permissions.new")}
      description={here === "new" ? m("markets.get.mayHow") : t("plugins.permissions.newHow")}
      value={grants}
      onChange={() => undefined}>
      <div className="consent">
        {asked.map((name) => (
          <Checkbox
            key={name}
            value={name}
            label={<code className="wrap">{name}</code>}
            description={meaning(name)}
            disabled={!mayGrant(name)}
            checked={grants.includes(name)}
            onChange={(e) => toggle(name, e.currentTarget.checked)}
          />
        ))}
        {!asked.every(mayGrant) && (
          <p className="soft flat">
            {t("plugins.permissions.decides", { permission: permissionName("extensions:trust") })}
          </p>
        )}
      </div>
    </Checkbox.Group>
  );
};
