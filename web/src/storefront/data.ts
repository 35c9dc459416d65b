// What several pages ask of the API.
import { queryOptions, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { api, data, ok, type Schemas } from "../api/client";
import { Problem } from "../api/problem";
import { accessToken } from "../api/session";
import { language } from "../text";
import type { Tone } from "./ui";

export type Order = Schemas["OwnedOrder"];
export type License = Schemas["OwnLicense"];

export const orderTone = (status: Order["status"]): Tone =>
  (({ paid: "good", pending: "warn", refunded: "none", cancelled: "none" }) as const)[status];

export const useOrders = (page: number) =>
  useQuery({
    queryKey: ["orders", page],
    queryFn: () => ok(api.GET("/api/marketplace/orders", { params: { query: { page, limit: 20 } } })),
    placeholderData: (last) => last,
  });

export const useLicenses = (page: number) =>
  useQuery({
    queryKey: ["licenses", page],
    queryFn: () => ok(api.GET("/api/marketplace/licenses", { params: { query: { page, limit: 20 } } })),
    placeholderData: (last) => last,
  });

// orNull turns the failure of a request for something that does not exist into null.
export const orNull = async <T>(request: Promise<T>): Promise<T | null> => {
  try {
    return await request;
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return null;
    throw error;
  }
};

// An order as its buyer sees it; own tells that it is in the account.
export type SeenOrder = Order & { licenseKey?: string; own: boolean };

// sessionQuery tells whether somebody is signed in.
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: async () => (await accessToken()) !== null,
  staleTime: Infinity,
});

export const productQuery = (slug: string) =>
  queryOptions({
    queryKey: ["product", slug],
    queryFn: () =>
      ok(api.GET("/api/marketplace/products/{slug}", { params: { path: { slug }, query: { lang: language } } })),
  });

// useShop reads what the shop says of itself.
export const useShop = () =>
  useQuery({
    queryKey: ["shop"],
    staleTime: Infinity,
    queryFn: () => data(api.GET("/api/v1/shop/settings")),
  });

// readOrder reads an order of the user, or a guest's by its license key. It returns null if
// there is no such order.
export const readOrder = async (id: string, key: string, signedIn: boolean): Promise<SeenOrder | null> => {
  const params = { path: { id } };
  const own = signedIn ? await orNull(ok(api.GET("/api/marketplace/orders/{id}", { params }))) : null;
  if (own) return { ...own, own: true };
  if (!key) return null;
  const guests = await orNull(
    ok(api.POST("/api/marketplace/orders/{id}/lookup", { params, body: { licenseKey: key } })),
  );
  return guests && { ...guests, own: false };
};

// How often an unpaid order is read again, and for how long, in milliseconds.
const pause = 3_000,
  patience = 120_000;

// useOrder reads an order, again and again while it waits for its payment. slow tells that
// it waited too long; follow starts over.
export const useOrder = (id: string, key: string, signedIn: boolean) => {
  const [until, setUntil] = useState(() => Date.now() + patience);
  const order = useQuery({
    queryKey: ["orders", "one", id, signedIn],
    enabled: signedIn || key !== "",
    queryFn: () => readOrder(id, key, signedIn),
    refetchInterval: (query) => (query.state.data?.status === "pending" && Date.now() < until ? pause : false),
  });
  const slow = order.data?.status === "pending" && Math.max(order.dataUpdatedAt, order.errorUpdatedAt) >= until;
  const follow = () => {
    setUntil(Date.now() + patience);
    void order.refetch();
  };
  return { order, slow, follow };
};

// useLicense reads one of the user's: null if it is not there.
export const useLicense = (id: string, enabled = true): UseQueryResult<License | null> =>
  useQuery({
    queryKey: ["licenses", "one", id],
    enabled,
    queryFn: () => orNull(ok(api.GET("/api/marketplace/licenses/{id}", { params: { path: { id } } }))),
  });

// useAttempt names what is sent: what is sent again has the key of the first time, so that it is done once however
// often a button is pressed.
export const useAttempt = () => {
  const last = useRef({ body: "", key: "" });
  return (body: unknown) => {
    const text = JSON.stringify(body);
    if (last.current.body !== text)
      last.current = { body: text, key: crypto.getRandomValues(new Uint32Array(4)).join("-") };
    return { "Idempotency-Key": `"${last.current.key}"` };
  };
};
