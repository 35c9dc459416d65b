// Every page that people see, for the tests of all pages and for the screenshots. as says
// who looks: nobody signed in, a buyer, or an administrator. ready is what a page shows
// once it is complete.
export const pages = [
  { name: "sign-in", path: "/console", as: "nobody", ready: "h1" },
  { name: "overview", path: "/console", as: "admin" },
  { name: "welcome", path: "/console/welcome", as: "admin" },
  { name: "plugins", path: "/console/plugins", as: "admin" },
  { name: "plugin", path: "/console/plugins/shipping-rates", as: "admin" },
  { name: "plugin-settings", path: "/console/plugins/shipping-rates?view=settings", as: "admin" },
  { name: "plugin-deliveries", path: "/console/plugins/loyalty-points?view=deliveries", as: "admin" },
  { name: "plugin-files", path: "/console/plugins/shipping-rates?view=files", as: "admin" },
  { name: "plugin-gone", path: "/console/plugins/nowhere", as: "admin" },
  { name: "deliveries", path: "/console/plugins/deliveries", as: "admin" },
  { name: "theme", path: "/console/themes/theme-app-shop/corner", as: "admin" },
  { name: "themes", path: "/console/themes", as: "admin" },
  { name: "shop", path: "/console/shop", as: "admin" },
  { name: "people", path: "/console/people", as: "admin" },
  { name: "events", path: "/console/events", as: "admin" },
  { name: "webhooks", path: "/console/events/webhooks", as: "admin" },
  { name: "webhook-new", path: "/console/events/webhooks/new", as: "admin" },
  { name: "settings", path: "/console/settings", as: "admin" },
  { name: "payments", path: "/console/settings/payments", as: "admin" },
  { name: "keys", path: "/console/settings/keys", as: "admin" },
  { name: "health", path: "/console/settings/health", as: "admin" },
  { name: "missing", path: "/console/nowhere", as: "admin" },
];
