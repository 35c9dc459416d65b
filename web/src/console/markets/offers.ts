// What a market offers, and what can be done with it here.
import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { api, data } from "../../api/client";
import { formatMoney } from "../../text/format";
import { isOlder } from "../extensions/install/What";
import type { ListSearch } from "../kit/useListSearch";
import type { Offer, Tier } from "./data";
import { m } from "./text";

export const offersQuery = (market: string, { page = 1, q }: ListSearch) =>
  queryOptions({
    queryKey: ["markets", market, "offers", page, q],
    queryFn: () =>
      data(
        api.GET("/api/v1/admin/markets/{market}/products", {
          params: { path: { market }, query: { page, limit: 20, ...(q ? { q } : {}) } },
        }),
      ),
    placeholderData: keepPreviousData,
    retry: false, // a market that does not answer is told of at once
  });

// useOffer is one product of a market, also one that is not sold any more.
export const useOffer = (market: string, slug: string) =>
  useQuery({
    queryKey: ["markets", market, "offer", slug],
    queryFn: () =>
      data(api.GET("/api/v1/admin/markets/{market}/products/{slug}", { params: { path: { market, slug } } })),
    retry: false,
  });

// standing says what a package is here, or why it is nothing.
export type Standing = "nothing" | "needs" | "elsewhere" | "installed" | "update" | "new";

export const standing = ({ package: pack, installed }: Offer): Standing => {
  if (!pack) return "nothing";
  if (installed && !installed.sameProduct) return "elsewhere";
  if (!pack.compatible) return "needs";
  if (!installed) return "new";
  return isOlder(installed.version, pack.version) ? "update" : "installed";
};

export const priceOf = ({ price, currency, billingPeriod }: Tier): string => {
  if (price === 0) return m("markets.offers.free");
  const amount = formatMoney(price, currency);
  return billingPeriod ? m(`markets.offers.${billingPeriod}`, { amount }) : amount;
};

// cheapest is the price of a product in a word or two.
export const cheapest = ({ tiers }: Offer): string => {
  const [first] = [...tiers].sort((a, b) => a.price - b.price);
  if (!first) return "";
  return tiers.some(({ price }) => price !== first.price)
    ? m("markets.offers.from", { price: priceOf(first) })
    : priceOf(first);
};

// daysToTry is the longest trial of a product; 0 if it has none.
export const daysToTry = ({ tiers }: Offer): number => Math.max(0, ...tiers.map(({ trialDays }) => trialDays));
