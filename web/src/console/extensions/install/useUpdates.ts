import { useQuery } from "@tanstack/react-query";
import { api, data, type Schemas } from "../../../api/client";

export type Update = Schemas["MarketUpdate"];

// useUpdates are the packages for which the market has a newer version.
export const useUpdates = () =>
  useQuery({
    queryKey: ["plugins", "-updates"],
    queryFn: () => data(api.GET("/api/v1/admin/market/updates", { params: { query: { limit: 100 } } })),
    staleTime: 60_000,
  });

// useUpdate is the newer version of one package, if the market has one.
export const useUpdate = (kind: Update["kind"], slug: string): Update | undefined =>
  useUpdates().data?.items.find((update) => update.kind === kind && update.slug === slug);
