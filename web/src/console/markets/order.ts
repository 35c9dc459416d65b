// The requests with which a package is got from a market.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { asProblem } from "../../api/problem";
import { api, data } from "../../api/client";
import type { Installed } from "../extensions/install/useInstall";
import { newKey } from "../extensions/install/useInstall";

// Order is what was chosen. update and free need nothing else.
export type Order = { grants: string[] } & (
  | { way: "free" | "update" }
  | { way: "key"; licenseKey: string }
  | { way: "trial"; tierId: string; email: string }
  | { way: "buy"; tierId: string }
);

// Started is an operation; or, from the local market, what was installed already.
export type Started = { operationId: string; checkoutUrl?: string } | Installed;

// useOrder sends an order. A try without an answer is repeated as the same request; after a refusal, the next one is
// another.
export const useOrder = (market: string, productSlug: string) => {
  const client = useQueryClient();
  const key = useRef(newKey());
  return useMutation({
    mutationFn: (order: Order): Promise<Started> => send(market, productSlug, order, key.current),
    onError: (error) => {
      if (!asProblem(error).unreachable) key.current = newKey();
    },
    onSuccess: () => {
      key.current = newKey();
      return refreshPackages(client);
    },
  });
};

// refreshPackages makes fresh what an installation changes.
export const refreshPackages = (client: ReturnType<typeof useQueryClient>) =>
  Promise.all(
    ["plugins", "themes", "extensions", "markets"].map((area) => client.invalidateQueries({ queryKey: [area] })),
  );

const send = async (market: string, productSlug: string, order: Order, key: string): Promise<Started> => {
  const header = { "Idempotency-Key": key };
  const { grants } = order;
  switch (order.way) {
    case "buy": {
      const body = { productSlug, tierId: order.tierId, grants };
      return data<Started>(
        api.POST("/api/v1/admin/markets/{market}/purchases", { params: { path: { market }, header }, body }),
      );
    }
    case "trial": {
      const body = { productSlug, tierId: order.tierId, email: order.email, grants };
      return data<Started>(
        api.POST("/api/v1/admin/markets/{market}/trials", { params: { path: { market }, header }, body }),
      );
    }
    default: {
      const body = { grants, ...(order.way === "key" ? { licenseKey: order.licenseKey } : {}) };
      const path = { market, slug: productSlug };
      return data<Started>(
        api.POST("/api/v1/admin/markets/{market}/products/{slug}/install", { params: { path, header }, body }),
      );
    }
  }
};
