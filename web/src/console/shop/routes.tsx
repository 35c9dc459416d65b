import { createRoute, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { validateList } from "../kit/useListSearch";
import type { Parent } from "../shell/route";

export const shopRoutes = <P extends Parent>(root: P) =>
  [
    createRoute({
      getParentRoute: () => root,
      path: "/shop",
      beforeLoad: () => {
        throw redirect({ to: "/shop/products" as "/", replace: true });
      },
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/shop/products",
      validateSearch: validateList("state", "category"),
      component: lazyRouteComponent(() => import("./products/ProductsPage"), "ProductsPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/shop/new-product",
      component: lazyRouteComponent(() => import("./products/ProductPage"), "NewProductPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/shop/products/$slug",
      component: lazyRouteComponent(() => import("./products/ProductPage"), "ProductPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/shop/products/$slug/packages",
      validateSearch: validateList(),
      component: lazyRouteComponent(() => import("./products/PackagesPage"), "PackagesPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/shop/orders",
      validateSearch: validateList("status", "product", "user", "since"),
      component: lazyRouteComponent(() => import("./orders/OrdersPage"), "OrdersPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/shop/orders/$id",
      component: lazyRouteComponent(() => import("./orders/OrderPage"), "OrderPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/shop/licenses",
      validateSearch: validateList("status", "product", "user"),
      component: lazyRouteComponent(() => import("./licenses/LicensesPage"), "LicensesPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/shop/licenses/grant",
      component: lazyRouteComponent(() => import("./licenses/GrantPage"), "GrantPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/shop/licenses/$id",
      component: lazyRouteComponent(() => import("./licenses/LicensePage"), "LicensePage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/shop/reviews",
      validateSearch: validateList("product", "hidden"),
      component: lazyRouteComponent(() => import("./reviews/ReviewsPage"), "ReviewsPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/shop/media",
      validateSearch: validateList(),
      component: lazyRouteComponent(() => import("./media/MediaPage"), "MediaPage"),
    }),
  ] as const;
