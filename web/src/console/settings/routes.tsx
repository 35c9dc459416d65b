import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "../kit/lazyPage";
import type { Parent } from "../shell/route";

export const settingsRoutes = <P extends Parent>(root: P) =>
  [
    createRoute({
      getParentRoute: () => root,
      path: "/settings",
      component: lazyPage(() => import("./GeneralPage"), "GeneralPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/settings/sign-in",
      component: lazyPage(() => import("./SignInPage"), "SignInPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/settings/sign-in/providers/new",
      component: lazyPage(() => import("./NewProviderPage"), "NewProviderPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/settings/sign-in/providers/$slug",
      component: lazyPage(() => import("./ProviderPage"), "ProviderPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/settings/packages",
      component: lazyPage(() => import("./PackagesPage"), "PackagesPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/settings/payments",
      component: lazyPage(() => import("./PaymentsPage"), "PaymentsPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/settings/api-keys",
      component: lazyPage(() => import("./ApiKeysPage"), "ApiKeysPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/settings/api-keys/services/$account",
      component: lazyPage(() => import("./ServiceAccountPage"), "ServiceAccountPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/settings/api-keys/services/$account/new",
      component: lazyPage(() => import("./NewApiKeyPage"), "NewApiKeyPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/settings/api-keys/$id",
      component: lazyPage(() => import("./ApiKeyPage"), "ApiKeyPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/settings/keys",
      component: lazyPage(() => import("./KeysPage"), "KeysPage"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "/settings/health",
      component: lazyPage(() => import("./HealthPage"), "HealthPage"),
    }),
  ] as const;
