// What the pages of markets ask and change. Every key begins with "markets".
import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, data, ok, type Schemas } from "../../api/client";
import { may } from "../kit/may";

export type Market = Schemas["Market"];
export type Offer = Schemas["MarketProduct"];
export type Kind = NonNullable<Offer["package"]>["kind"];
export type Tier = Offer["tiers"][number];
export type Operation = Schemas["MarketOperation"];
export type License = Schemas["PackageLicense"];

// self is the id of the local market: what this stoa sells itself.
export const self = "self";

// stoa looks at its markets every minute.
export const marketsQuery = (page: number, limit: number) =>
  queryOptions({
    queryKey: ["markets", "list", page, limit],
    queryFn: () => data(api.GET("/api/v1/admin/markets", { params: { query: { page, limit } } })),
    refetchInterval: 30_000,
  });

// useMarket is one market; null if there is none of this id.
export const useMarket = (id: string) =>
  useQuery({
    ...marketsQuery(1, 100),
    enabled: may("markets:read"),
    select: ({ items }) => items.find(({ market }) => market === id) ?? null,
  });

const at = (market: string) => ({ params: { path: { market } } });

export const add = (url: string, rootFingerprint?: string) =>
  data(api.POST("/api/v1/admin/markets", { body: { url, ...(rootFingerprint ? { rootFingerprint } : {}) } }));
export const check = (market: string) => data(api.POST("/api/v1/admin/markets/{market}/check", at(market)));
export const remove = (market: string) => ok(api.DELETE("/api/v1/admin/markets/{market}", at(market)));

export const useRefresh = () => {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: ["markets"] });
};
