// What the pages of plugins read. Every key begins with "plugins", so that any change of a
// plugin can make all of it fresh.
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, data, tagged, type Schemas, type Sorts } from "../../api/client";
import type { ListSearch } from "../kit/useListSearch";

export type Package = Schemas["ManagedPackage"];
export type Instance = Schemas["Instance"];
export type Delivery = Schemas["ListedDelivery"];
type InstanceSort = Sorts<"/api/v1/admin/plugins/{slug}/instances">;

// A state is looked at again while a page shows it, soon while it is about to change.
const again = (instances: Instance[]) => (instances.some((i) => i.runtime.state === "starting") ? 1_000 : 10_000);

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
  refetchInterval: (query: { state: { data?: { items: Instance[] } | undefined } }) =>
    again(query.state.data?.items ?? []),
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
    refetchInterval: (query) => again(query.state.data ? [query.state.data.value] : []),
  });

const patience = 15_000; // ms for a start; stoa waits as long, and longer where that is set
const pause = 300;

// started waits until an instance that was enabled has started, or has failed to, and returns
// why it failed. It returns nothing if nobody knows yet.
export const started = async ({ pluginSlug: slug, installationId }: Instance): Promise<string | undefined> => {
  for (const end = Date.now() + patience; Date.now() < end; await new Promise((go) => setTimeout(go, pause))) {
    const { runtime } = await data(
      api.GET("/api/v1/admin/plugins/{slug}/instances/{installationId}", {
        params: { path: { slug, installationId } },
      }),
    );
    if (runtime.state === "failing") return runtime.lastError?.message ?? "";
    if (runtime.state !== "starting") return undefined;
  }
  return undefined;
};

export const useRefresh = () => {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: ["plugins"] });
};
