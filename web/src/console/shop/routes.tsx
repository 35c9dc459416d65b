import { createRoute, redirect } from "@tanstack/react-router";
import { lazyPage } from "../kit/lazyPage";
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
      component: lazyPage(() => import("./products/ProductsPage"), "ProductsPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/shop/new-product",
      component: lazyPage(() => import("./products/ProductPage"), "NewProductPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/shop/products/$slug",
      component: lazyPage(() => import("./products/ProductPage"), "ProductPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/shop/products/$slug/packages",
      validateSearch: validateList(),
      component: lazyPage(() => import("./products/PackagesPage"), "PackagesPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/shop/orders",
      validateSearch: validateList("status", "product", "user", "since"),
      component: lazyPage(() => import("./orders/OrdersPage"), "OrdersPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/shop/orders/$id",
      component: lazyPage(() => import("./orders/OrderPage"), "OrderPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/shop/licenses",
      validateSearch: validateList("status", "product", "user"),
      component: lazyPage(() => import("./licenses/LicensesPage"), "LicensesPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/shop/licenses/grant",
      component: lazyPage(() => import("./licenses/GrantPage"), "GrantPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/shop/licenses/$id",
      component: lazyPage(() => import("./licenses/LicensePage"), "LicensePage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/shop/figures",
      validateSearch: validateList("span", "from", "to", "by", "product"),
      component: lazyPage(() => import("./figures/FiguresPage"), "FiguresPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/shop/discounts",
      validateSearch: validateList(),
      component: lazyPage(() => import("./discounts/DiscountsPage"), "DiscountsPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/shop/discounts/new",
      component: lazyPage(() => import("./discounts/NewDiscountPage"), "NewDiscountPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/shop/discounts/$id",
      component: lazyPage(() => import("./discounts/DiscountPage"), "DiscountPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/shop/mails",
      validateSearch: validateList(),
      component: lazyPage(() => import("./mails/MailsPage"), "MailsPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/shop/mails/$kind",
      component: lazyPage(() => import("./mails/MailPage"), "MailPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/shop/reviews",
      validateSearch: validateList("product", "hidden"),
      component: lazyPage(() => import("./reviews/ReviewsPage"), "ReviewsPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/shop/media",
      validateSearch: validateList(),
      component: lazyPage(() => import("./media/MediaPage"), "MediaPage"),
    }),
  ] as const;
