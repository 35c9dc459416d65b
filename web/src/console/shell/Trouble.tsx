// Trouble is one banner on every page for what is wrong with licenses and markets: the worst first. The page to which
// it leads says so itself.
import { useQuery } from "@tanstack/react-query";
import { useRouterState } from "@tanstack/react-router";
import { formatDay } from "../../text/format";
import { may } from "../kit/may";
import { PageLink } from "../kit/pages";
import type { Tone } from "../kit/values";
import { overviewQuery } from "../overview/data";
import { addressOf, packageAddress } from "../markets/addresses";
import { marketsQuery, type Market, type License } from "../markets/data";
import { t } from "../text";

interface One {
  tone: Tone;
  text: string;
  to: string;
}

type Licensed = Pick<License, "graceUntil"> & { kind: string; slug: string; state: "grace" | "lapsed" };

const everyMinute = 60_000;

export const Trouble = () => {
  const overview = useQuery({ ...overviewQuery, enabled: may("overview:read"), refetchInterval: everyMinute });
  const markets = useQuery({ ...marketsQuery(1, 100), enabled: may("markets:read"), refetchInterval: everyMinute });
  const licenses = overview.data?.licenses ?? [];
  const path = useRouterState({ select: (s) => s.location.pathname });
  const [worst, ...others] = troubles(licenses, markets.data?.items ?? []);
  return (
    <div role="status">
      {worst && worst.to !== path && (
        <div className="note" data-tone={worst.tone} style={{ marginBottom: 16 }}>
          <p>
            {worst.text} {others.length > 0 && t.count("banner.more", others.length)}
          </p>
          <PageLink to={worst.to}>{t("banner.see")}</PageLink>
        </div>
      )}
    </div>
  );
};

// troubles are what wants attention: what stopped, what may be an attack, what will stop, what waits.
const troubles = (licenses: Licensed[], markets: Market[]): One[] => [
  ...licenses.filter(({ state }) => state === "lapsed").map(ofLicense),
  ...markets.filter(({ state }) => state === "untrusted").map(ofMarket),
  ...licenses.filter(({ state }) => state === "grace").map(ofLicense),
  ...markets.filter(({ state }) => state === "stale").map(ofMarket),
];

const ofLicense = (license: Licensed): One => {
  const lapsed = license.state === "lapsed";
  const values = { slug: license.slug, date: formatDay(license.graceUntil) };
  return {
    tone: lapsed ? "bad" : "warn",
    text: lapsed ? t("banner.lapsed", values) : t("banner.grace", values),
    to: packageAddress(license),
  };
};

const ofMarket = (market: Market): One => ({
  tone: market.state === "untrusted" ? "bad" : "warn",
  text: t(market.state === "untrusted" ? "banner.untrusted" : "banner.stale", {
    market: market.name || new URL(market.url).host,
  }),
  to: addressOf(market.market),
});
