// What the page of figures reads.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, data } from "../../../api/client";
import type { Period } from "./period";

export const bys = ["day", "product", "tier", "country", "code"] as const;
export type By = (typeof bys)[number];

export interface Asked extends Period {
  by: By;
  product?: string;
}

export const revenueQuery = (asked: Asked) =>
  queryOptions({
    queryKey: ["figures", "revenue", asked],
    queryFn: () => data(api.GET("/api/v1/admin/reports/revenue", { params: { query: asked } })),
    placeholderData: keepPreviousData,
  });

export const subscriptionsQuery = (period: Period) =>
  queryOptions({
    queryKey: ["figures", "subscriptions", period],
    queryFn: () => data(api.GET("/api/v1/admin/reports/subscriptions", { params: { query: period } })),
    placeholderData: keepPreviousData,
  });

export type Revenue = Awaited<ReturnType<NonNullable<ReturnType<typeof revenueQuery>["queryFn"]>>>;
export type Sum = Revenue["totals"][number];
export type Row = Revenue["rows"][number];
