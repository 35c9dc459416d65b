import { useQuery } from "@tanstack/react-query";
import { api, data, type Schemas } from "../../../api/client";
import { may } from "../../kit/may";
import { marketsQuery, self } from "../../markets/data";
import { t } from "../../text";

export type Update = Schemas["MarketUpdate"];

// useUpdates are the packages for which their market has a newer version.
export const useUpdates = () =>
  useQuery({
    queryKey: ["plugins", "-updates"],
    queryFn: () => data(api.GET("/api/v1/admin/market/updates", { params: { query: { limit: 100 } } })),
    staleTime: 60_000,
  });

// useUpdateWords names an update, and the market that has it if it is another stoa's.
export const useUpdateWords = () => {
  const markets = useQuery({ ...marketsQuery(1, 100), enabled: may("markets:read") }).data?.items ?? [];
  return ({ version, market: id }: Update): string => {
    const market = markets.find(({ market }) => market === id && id !== self)?.name;
    return market ? t("plugins.updateAt", { version, market }) : t("plugins.update", { version });
  };
};

// useUpdate is the newer version of one package, if the market has one.
export const useUpdate = (kind: Update["kind"], slug: string): Update | undefined =>
  useUpdates().data?.items.find((update) => update.kind === kind && update.slug === slug);
