// What is under way: purchases, trials and installs, which the server carries on with by itself.
import { useQuery, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { api, data } from "../../api/client";
import { follow, type Following } from "../kit/stream";
import { refreshPackages } from "./order";
import type { Operation } from "./data";

type Step = Operation["steps"][number]["name"];

const steps: Step[] = ["paid", "activated", "downloaded", "verified", "installed", "running"];

// stepsOf are the steps of an operation, with the time of those that were reached. Those that are still to come are
// guessed: only a license is activated, and only a purchase is paid.
export const stepsOf = ({ kind, state, steps: reached }: Operation): { name: Step; at: string | null }[] => {
  const skipped: Step[] = kind === "purchase" ? [] : kind === "trial" ? ["paid"] : ["paid", "activated"];
  const last = Math.max(-1, ...reached.map(({ name }) => steps.indexOf(name)));
  return steps
    .map((name, i) => ({ name, i, at: reached.find((step) => step.name === name)?.at ?? null }))
    .filter(({ name, i, at }) => at !== null || (state !== "done" && i > last && !skipped.includes(name)));
};

// isPaid says whether the license key of a purchase is here.
export const isPaid = ({ steps: reached }: Operation) => reached.some(({ name }) => name === "paid");

// end stops an operation.
export const end = async (client: QueryClient, id: string) => {
  const ended = await data(api.DELETE("/api/v1/admin/market-operations/{id}", { params: { path: { id } } }));
  client.setQueryData(key(id), ended);
};

const lookEvery = 10_000;

const key = (id: string) => ["markets", "operation", id];

// usePending are the operations of a market that are under way, the newest first.
export const usePending = (market: string): Operation[] => {
  const { data: found } = useQuery({
    queryKey: ["markets", "operations"],
    queryFn: () => data(api.GET("/api/v1/admin/market-operations", { params: { query: { limit: 50 } } })),
  });
  return found?.items.filter((one) => one.market === market && one.state === "pending") ?? [];
};

// useOperation follows one operation until it ends.
export const useOperation = (id: string) => {
  const client = useQueryClient();
  const [state, setState] = useState<Following>("connecting");
  const query = useQuery({
    queryKey: key(id),
    queryFn: () => data(api.GET("/api/v1/admin/market-operations/{id}", { params: { path: { id } } })),
    staleTime: Infinity, // the stream tells of steps
    refetchInterval: ({ state: { data: known } }) => known?.state === "pending" && lookEvery, // for what it waits for
  });
  const pending = query.data?.state === "pending";
  useEffect(() => {
    if (!pending) return;
    const stop = new AbortController();
    let over = false;
    const add = (batch: Operation[]) => {
      const latest = batch.at(-1);
      if (!latest) return;
      over = latest.state !== "pending";
      client.setQueryData(key(id), latest);
      if (over) void refreshPackages(client);
    };
    void follow<Operation>({
      ask: () =>
        api.GET("/api/v1/admin/market-operations/{id}/events", {
          params: { path: { id } },
          parseAs: "stream",
          signal: stop.signal,
        }),
      add,
      tell: setState,
      over: () => over,
      signal: stop.signal,
    });
    return () => stop.abort();
  }, [id, pending, client]);
  return { query, lost: pending && state === "lost" };
};
