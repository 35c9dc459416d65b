import { formatDay } from "../text/format";
import { Bought } from "./Bought";
import { useLicenses, type License } from "./data";
import { t } from "./boughtText";
import { own } from "./ownText";
import { NextPlan } from "./PlanNext";
import { Badge, type Tone } from "./ui";

// stateOf is a license's state in a word: a license that is not paid yet does not work.
export const stateOf = (license: License): { tone: Tone; word: string } => {
  if (!license.paid && license.status === "active") return { tone: "warn", word: t("licenses.states.pending") };
  return {
    tone: ({ active: "good", expired: "warn", revoked: "bad" } as const)[license.status],
    word: t(`licenses.states.${license.status}`),
  };
};

export const termOf = (license: License): string => {
  if (!license.expiresAt) return t("licenses.noEnd");
  const date = formatDay(license.expiresAt);
  if (license.trial) return own(license.status === "expired" ? "license.trialEnded" : "license.trialUntil", { date });
  if (license.status === "expired") return t("licenses.ended", { date });
  // Whether a subscription that was bought goes on is said where its order is.
  return t(license.orderId && !license.ends ? "licenses.paidUntil" : "licenses.ends", { date });
};

export const LicensesPage = () => (
  <Bought
    title={t("licenses.title")}
    empty={t("licenses.empty")}
    how={t("licenses.emptyHow")}
    usePage={useLicenses}
    rows={({ licenses }) => licenses.map((license) => <Row key={license.id} license={license} />)}
  />
);

const Row = ({ license }: { license: License }) => {
  const state = stateOf(license);
  const full = license.currentInstances >= license.maxInstances;
  return (
    <li>
      <div className="list-text">
        <h2>
          <a href={`/licenses/${license.id}`}>{license.productName}</a>{" "}
          <span className="soft">· {license.tierName}</span>
        </h2>
        <div className="list-facts">
          <Badge tone={state.tone}>{state.word}</Badge>
          <span>{termOf(license)}</span>
          <NextPlan license={license} />
          <Seats license={license} />
        </div>
        {full && license.status === "active" && <p className="small">{t("licenses.full")}</p>}
      </div>
      <BuyTrial license={license} />
      <a
        className="button"
        href={`/licenses/${license.id}`}
        aria-label={`${t("licenses.manage")}: ${license.productName}, ${license.tierName}`}>
        {t("licenses.manage")}
      </a>
    </li>
  );
};

// BuyTrial is the way from a trial to the license.
export const BuyTrial = ({ license }: { license: License }) =>
  license.trial && license.status !== "revoked" ? (
    <a
      className="button primary"
      href={`/checkout/${license.productSlug}/${encodeURIComponent(license.tierId)}?license=${license.id}`}
      aria-label={own("license.buyOf", { product: license.productName })}>
      {own("license.buy")}
    </a>
  ) : null;

export const Seats = ({ license }: { license: License }) => (
  <span>{t("licenses.seats", { used: license.currentInstances, max: license.maxInstances })}</span>
);
