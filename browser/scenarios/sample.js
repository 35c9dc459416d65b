// A shop in use, for the pictures: a buyer with licenses in every state, texts as long as
// they may be, a plugin that does not start, one with a page of its own, and a theme.
import assert from "node:assert/strict";
import { archive, plugin } from "./archive.js";
import { adminToken, call } from "./kit.js";

export const buyer = { email: "ada.lovelace@example.com", username: "ada", password: "correct horse battery" };

const long = "Ships orders from several warehouses, splits baskets by stock, writes customs papers in nine languages and tells buyers where their parcel is";
const unbroken = "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichenverordnung".repeat(2);

const page = `<!doctype html><meta charset="utf-8"><title>Labels</title><link rel="stylesheet" href="look.css">
<h1>Labels</h1><p>42 labels were printed today.</p>`;
const paged = `export default async function (app) {
  app.get("/admin/", async (request, reply) => reply.type("text/html").send(${JSON.stringify(page)}))
  app.get("/admin/look.css", async (request, reply) => reply.type("text/css").send("body { font: 16px sans-serif; margin: 24px }"))
}
`;

const schema = {
  sender: { type: "email", label: "Sender", required: true, description: "Where its mails come from." },
  apiKey: { type: "secret", label: "Service key" },
  copies: { type: "integer", label: "Copies", default: 2 },
  keep: { type: "boolean", label: "Keep a copy", default: true },
  paper: { type: "string", label: "Paper", enum: ["A4", "Letter"], default: "A4" },
  tint: { type: "color", label: "Color of the label" },
  also: { type: "array", label: "Also send to", items: { type: "string" } },
  company: { type: "object", label: "Company", properties: { name: { type: "string", label: "Name" }, site: { type: "url", label: "Site" } } },
  rules: { type: "mapping", label: "Rules" },
};

const theme = (version) => archive({
  "theme.json": {
    schemaVersion: 1, slug: "dusk", name: "Dusk", version, target: "shop", entry: "dusk.css",
    defaultConfig: { tint: "#7a3d9a" }, configSchema: { tint: { type: "color", label: "Tint", required: true } },
  },
  "dusk.css": "@layer theme { :root { --shop-accent: var(--theme-tint); } }",
});

// asked calls the API, and fails unless it does what it was asked for.
const asked = async (stoa, method, path, options) => {
  const { status, body } = await call(stoa, method, path, options);
  assert.ok(status < 300, `${method} ${path} answers ${status}: ${JSON.stringify(body)}`);
  return body.data ?? body;
};

const install = (stoa, token, body, kind = "plugin") =>
  asked(stoa, "POST", `/api/v1/admin/extensions/${kind}/install`, { token, body, type: "application/zip" });

const sell = async (stoa, token, slug, tierId, email, as) => {
  const body = { tierId, paymentMethod: "card", billingInfo: { email, name: "Ada Lovelace", company: "Analytical Engines Ltd" } };
  const sold = await asked(stoa, "POST", `/api/marketplace/products/${slug}/purchase`, { token: as, body });
  const { licenseId } = await asked(stoa, "GET", `/api/v1/admin/orders/${sold.orderId}`, { token });
  return { ...sold, licenseId };
};

const activate = (stoa, slug, licenseKey, instanceId) =>
  asked(stoa, "POST", `/api/marketplace/products/${slug}/activate`, { body: { licenseKey, instanceId } });

// furnish fills a stoa with demo data, and returns the addresses of what it made.
export const furnish = async (stoa) => {
  const token = await adminToken(stoa);
  const shop = await furnishShop(stoa, token);
  const withPage = (slug, name) => plugin({
    slug, name, description: long, adminUi: "/admin/", configSchema: schema, permissions: ["products:read"],
  }, paged);
  const { defaultInstance: labels } = await install(stoa, token, withPage("labels", "Labels"));
  await asked(stoa, "PATCH", `/api/v1/admin/plugins/labels/instances/${labels.installationId}`, {
    token, body: { enabled: true, config: { sender: "labels@example.com", apiKey: "k-sesame", also: ["desk@example.com"] } },
  });
  const { defaultInstance: idle } = await install(stoa, token, withPage("parcel-stamps", "Parcel stamps"));
  await install(stoa, token, plugin(
    { slug: "tax-tables", name: "Tax tables" }, 'import { rates } from "./rates.js"\nexport default async function (app) { app.get("/api/rates", async () => rates) }\n',
    { "rates.js": "const table = undefined\nexport const rates = table.map((r) => r / 100)\n" },
  ));
  for (const version of ["1.0.0", "1.1.0"]) {
    await install(stoa, token, plugin({ version, permissions: ["products:read"] }));
    await install(stoa, token, theme(version), "theme-shop");
  }
  const webhook = await asked(stoa, "POST", "/api/v1/admin/webhooks", { token, body: { url: `http://127.0.0.1:9/${"stock/".repeat(12)}`, events: ["order.*", "license.*"] } });
  await asked(stoa, "POST", `/api/v1/admin/webhooks/${webhook.id}/test`, { token });
  return {
    ...shop, webhook: `/console/events/webhooks/${webhook.id}`, labels: `/console/plugins/labels/${labels.installationId}`, idle: `/console/plugins/parcel-stamps/${idle.installationId}`,
  };
};

const furnishShop = async (stoa, token) => {
  const joined = await asked(stoa, "POST", "/auth/register", { body: buyer });
  const as = joined.access_token;
  const full = await sell(stoa, token, "harbor-analytics", "growth", buyer.email, as);
  for (const name of ["www.example.com", "staging.example.com", `${"warehouse-".repeat(6)}north.example.com`]) await activate(stoa, "harbor-analytics", full.licenseKey, name);
  const refunded = await sell(stoa, token, "mail-courier", "basic", buyer.email, as);
  await asked(stoa, "POST", `/api/v1/admin/orders/${refunded.orderId}/refund`, { token, body: {} });
  await sell(stoa, token, "mail-courier", "pro", buyer.email, as);
  const guest = await sell(stoa, token, "mail-courier", "pro", "guest@example.com");
  await activate(stoa, "mail-courier", guest.licenseKey, "shop.example.org");
  await asked(stoa, "POST", "/api/marketplace/products/harbor-analytics/reviews", { token: as, body: { rating: 4, title: "Does what it says", comment: `${long}. `.repeat(8) } });
  const { items: [icon] } = await asked(stoa, "GET", "/api/v1/admin/media", { token });
  const tier = { currency: "EUR", billingPeriod: "monthly", features: [long, "Support"], maxInstances: 1 };
  await asked(stoa, "POST", "/api/v1/admin/products", { token, body: {
    slug: "long-words", name: `Parcels and customs papers for ${unbroken}`, category: "shipping", shortDescription: long,
    description: `${long}. `.repeat(6), published: true, icon: icon.path, highlights: [long, unbroken],
    pricingTiers: [{ id: "one", name: "One warehouse", price: 1234.5, ...tier }, { id: "all", name: `All warehouses ${unbroken.slice(0, 40)}`, price: 123456.78, ...tier, highlighted: true }],
    faq: [{ question: `${long}?`, answer: `${long}. `.repeat(3) }],
  } });
  return {
    order: `/console/shop/orders/${full.orderId}`, orderRefunded: `/console/shop/orders/${refunded.orderId}`,
    license: `/console/shop/licenses/${full.licenseId}`, licenseRevoked: `/console/shop/licenses/${refunded.licenseId}`,
    person: `/console/people/${joined.user.id}`, bought: `/orders/${full.orderId}`, boughtRefunded: `/orders/${refunded.orderId}`,
    mine: `/licenses/${full.licenseId}`, mineRevoked: `/licenses/${refunded.licenseId}`,
  };
};
