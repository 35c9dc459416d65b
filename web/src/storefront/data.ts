// What several pages ask of the API.
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { api, ok, type Schemas } from "../api/client";
import { Problem } from "../api/problem";

export type Order = Schemas["OwnedOrder"];
export type License = Schemas["OwnLicense"];

const most = 100; // entries of a page of the API

export const useOrders = (page: number) => useQuery({
  queryKey: ["orders", page],
  queryFn: () => ok(api.GET("/api/marketplace/orders", { params: { query: { page, limit: 20 } } })),
  placeholderData: (last) => last,
});

export const useLicenses = (page: number) => useQuery({
  queryKey: ["licenses", page],
  queryFn: () => ok(api.GET("/api/marketplace/licenses", { params: { query: { page, limit: 20 } } })),
  placeholderData: (last) => last,
});

// useOrder and useLicense look for one of the user's: null if it is not there.
export const useOrder = (id: string, enabled: boolean): UseQueryResult<Schemas["OrderWithKey"] | null> => useQuery({
  queryKey: ["orders", "one", id], enabled,
  queryFn: () => orNull(ok(api.GET("/api/marketplace/orders/{id}", { params: { path: { id } } }))),
  refetchInterval: whilePending,
});

// useGuestOrder looks for a guest's order with its key, as long as it is not settled.
export const useGuestOrder = (id: string, licenseKey: string, enabled: boolean): UseQueryResult<Order | null> => useQuery({
  queryKey: ["orders", "guest", id], enabled,
  queryFn: () => orNull(ok(api.POST("/api/marketplace/orders/{id}/lookup", { params: { path: { id } }, body: { licenseKey } }))),
  refetchInterval: whilePending,
});

const whilePending = (query: { state: { data?: { status: Order["status"] } | null | undefined } }) => (query.state.data?.status === "pending" ? 3_000 : false);

// orNull is null for what is not there.
const orNull = async <T,>(request: Promise<T>): Promise<T | null> => {
  try {
    return await request;
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return null;
    throw error;
  }
};

export const useLicense = (id: string): UseQueryResult<License | null> => useQuery({
  queryKey: ["licenses", "one", id],
  queryFn: () => find(id, async (page) => {
    const found = await ok(api.GET("/api/marketplace/licenses", { params: { query: { page, limit: most } } }));
    return { list: found.licenses, pages: found.pagination.totalPages };
  }),
});

const find = async <T extends { id: string }>(
  id: string, read: (page: number) => Promise<{ list: T[]; pages: number }>,
): Promise<T | null> => {
  for (let page = 1; ; page++) {
    const { list, pages } = await read(page);
    const one = list.find((entry) => entry.id === id);
    if (one || page >= pages) return one ?? null;
  }
};
