// What the overview reads.
import { queryOptions } from "@tanstack/react-query";
import { api, data } from "../../api/client";
import { accessToken } from "../../api/session";
import { accountQuery, isStaff, may } from "../kit/may";
import { queries } from "../queries";
import { mayReadProgress, progressQuery } from "./progress";

const everyHalfMinute = { refetchInterval: 30_000 };

export const overviewQuery = queryOptions({
  queryKey: ["overview"],
  queryFn: () => data(api.GET("/api/v1/admin/overview")),
  ...everyHalfMinute,
});

export const systemQuery = queryOptions({
  queryKey: ["system"],
  queryFn: () => data(api.GET("/api/v1/admin/system")),
  ...everyHalfMinute,
});

export const trafficQuery = queryOptions({
  queryKey: ["traffic"],
  queryFn: () => data(api.GET("/api/v1/admin/traffic")),
  ...everyHalfMinute,
});

// latestQuery are the latest orders. Its key begins as those of lists do, so that a refund shows at once.
export const latestQuery = queryOptions({
  queryKey: ["orders", "latest"],
  queryFn: () => data(api.GET("/api/v1/admin/orders", { params: { query: { limit: 5 } } })),
  ...everyHalfMinute,
});

// readAhead asks for all of it as soon as there is a token, while the page's code is still
// on its way. What fails is asked for again, and told, by the page.
export const readAhead = async (): Promise<void> => {
  if ((await accessToken().catch(() => null)) === null || isStaff() === false) return;
  const account = queries.prefetchQuery(accountQuery);
  if (isStaff() === null) await account;
  if (!may("overview:read")) return;
  for (const query of [overviewQuery, trafficQuery]) void queries.prefetchQuery(query as typeof overviewQuery);
  if (may("system:read")) void queries.prefetchQuery(systemQuery);
  if (may("orders:read")) void queries.prefetchQuery(latestQuery);
  if (mayReadProgress()) void queries.prefetchQuery(progressQuery);
};
