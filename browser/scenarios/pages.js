// Every page that people see, for the tests of all pages and for the screenshots. as says
// who looks: nobody signed in, a buyer, or an administrator. ready is what a page shows
// once it is complete.
export const pages = [
  { name: "sign-in", path: "/console", as: "nobody", ready: "h1" },
  { name: "overview", path: "/console", as: "admin" },
  { name: "welcome", path: "/console/welcome", as: "admin" },
  { name: "plugins", path: "/console/plugins", as: "admin" },
  { name: "themes", path: "/console/themes", as: "admin" },
  { name: "shop", path: "/console/shop", as: "admin" },
  { name: "orders", path: "/console/shop/orders", as: "admin" },
  { name: "licenses", path: "/console/shop/licenses", as: "admin" },
  { name: "license-grant", path: "/console/shop/licenses/grant", as: "admin" },
  { name: "reviews", path: "/console/shop/reviews", as: "admin" },
  { name: "media", path: "/console/shop/media", as: "admin" },
  { name: "product-new", path: "/console/shop/new-product", as: "admin" },
  { name: "product", path: "/console/shop/products/mail-courier", as: "admin" },
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
