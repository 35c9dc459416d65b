// How far a new shop is set up.
import { queryOptions, useQuery } from "@tanstack/react-query";
import { api, data } from "../../api/client";
import { may } from "../kit/may";

// progressQuery asks for what the steps are about: one entry of each list is enough.
export const progressQuery = queryOptions({
  queryKey: ["welcome"],
  queryFn: async () => {
    const one = { params: { query: { page: 1, limit: 1 } } };
    const [settings, products, plugins, system] = await Promise.all([
      data(api.GET("/api/v1/admin/settings")),
      data(api.GET("/api/v1/admin/products", one)),
      data(
        api.GET("/api/v1/admin/extensions/{kind}", { params: { path: { kind: "plugin" }, query: one.params.query } }),
      ),
      data(api.GET("/api/v1/admin/system")),
    ]);
    return {
      name: settings.shopName,
      defaultName: settings.defaultShopName,
      products: products.pagination.total,
      plugins: plugins.pagination.total,
      live: system.payments.mode === "live",
    };
  },
});

// mayReadProgress says whether the user may read all of it.
export const mayReadProgress = () =>
  may("settings:read") && may("products:read") && may("extensions:read") && may("system:read");

export const useProgress = () => useQuery({ ...progressQuery, enabled: mayReadProgress() });
