// The pages of the console. Each area lists its own in routes.tsx; a page is loaded when
// it is first opened.
import { createRootRoute, createRouter } from "@tanstack/react-router";
import { eventsRoutes } from "./events/routes";
import { ErrorPage } from "./kit/ErrorNote";
import { Pending } from "./kit/Pending";
import { marketsRoutes } from "./markets/routes";
import { overviewRoutes } from "./overview/routes";
import { peopleRoutes } from "./people/routes";
import { pluginsRoutes } from "./plugins/routes";
import { settingsRoutes } from "./settings/routes";
import { Missing } from "./kit/Missing";
import { Shell } from "./shell/Shell";
import { shopRoutes } from "./shop/routes";
import { themesRoutes } from "./themes/routes";

export const root = createRootRoute({ component: Shell, notFoundComponent: Missing });

const tree = root.addChildren([
  ...overviewRoutes(root),
  ...shopRoutes(root),
  ...pluginsRoutes(root),
  ...marketsRoutes(root),
  ...themesRoutes(root),
  ...peopleRoutes(root),
  ...eventsRoutes(root),
  ...settingsRoutes(root),
]);

export const router = createRouter({
  routeTree: tree,
  basepath: "/console",
  defaultPreload: "intent",
  defaultPendingMs: 150,
  defaultPendingComponent: Pending,
  defaultErrorComponent: ({ error }) => <ErrorPage error={error} />,
  defaultRemountDeps: ({ params }) => params, // another webhook is another form: nothing typed goes along
  scrollRestoration: true,
  trailingSlash: "never",
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
