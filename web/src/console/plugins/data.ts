// What the pages of plugins read. Every key begins with "plugins", so that any change of a
// plugin can make all of it fresh.
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, data, tagged, type Schemas, type Sorts } from "../../api/client";
import type { ListSearch } from "../kit/useListSearch";

export type Package = Schemas["ManagedPackage"];
export type Instance = Schemas["Instance"];
export type Delivery = Schemas["ListedDelivery"];
type InstanceSort = Sorts<"/api/v1/admin/plugins/{slug}/instances">;

// A state is looked at again while a page shows it.
const fresh = { refetchInterval: 10_000 } as const;

export const usePlugin = (slug: string) =>
  useQuery({
    queryKey: ["plugins", slug],
    queryFn: () => data(api.GET("/api/v1/admin/plugins/{slug}", { params: { path: { slug } } })),
  });

export const instancesQuery = (slug: string, { page = 1, q, sort }: ListSearch = {}, limit = 20) => ({
  queryKey: ["plugins", slug, "instances", page, q, sort, limit],
  queryFn: () => {
    const query = { page, limit, ...(q ? { q } : {}), ...(sort ? { sort: sort as InstanceSort } : {}) };
    return data(api.GET("/api/v1/admin/plugins/{slug}/instances", { params: { path: { slug }, query } }));
  },
  placeholderData: keepPreviousData,
  ...fresh,
});

export const useInstance = (slug: string, installationId: string) =>
  useQuery({
    queryKey: ["plugins", slug, "instance", installationId],
    queryFn: () =>
      tagged(
        api.GET("/api/v1/admin/plugins/{slug}/instances/{installationId}", {
          params: { path: { slug, installationId } },
        }),
      ),
    ...fresh,
  });

export const useRefresh = () => {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: ["plugins"] });
};
