import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "../kit/lazyPage";
import { validateList } from "../kit/useListSearch";
import type { Parent } from "../shell/route";

export const marketsRoutes = <P extends Parent>(root: P) =>
  [
    createRoute({
      getParentRoute: () => root,
      path: "/plugins/markets",
      validateSearch: validateList(),
      component: lazyPage(() => import("./MarketsPage"), "MarketsPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/plugins/markets/add",
      component: lazyPage(() => import("./AddMarketPage"), "AddMarketPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/plugins/markets/$market",
      validateSearch: validateList("operation"),
      component: lazyPage(() => import("./MarketPage"), "MarketPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/plugins/markets/$market/$product",
      validateSearch: validateList("way"),
      component: lazyPage(() => import("./OfferPage"), "OfferPage"),
    }),
  ] as const;
