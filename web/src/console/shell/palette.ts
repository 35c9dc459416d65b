// What the palette can find: pages and actions by their names, and what the server finds.
import { api, data, type Schemas } from "../../api/client";
import { formatMoney } from "../../text/format";
import { byKey, isKey, searchable } from "../shop/licenses/find";
import { t } from "../text";

export type Group = "recent" | "pages" | "actions" | "people" | "orders" | "licenses" | "products" | "plugins";
export interface Hit { group: Group; to: string; label: string; detail?: string }

const pages = (): Hit[] => ([
  ["/", "nav.overview"], ["/shop/products", "shop.nav.products"], ["/shop/orders", "shop.nav.orders"],
  ["/shop/licenses", "shop.nav.licenses"], ["/shop/reviews", "shop.nav.reviews"], ["/shop/media", "shop.nav.media"],
  ["/plugins", "nav.plugins"], ["/themes", "nav.themes"], ["/people", "nav.people"], ["/events", "nav.events"], ["/settings", "nav.settings"],
] as const).map(([to, key]) => ({ group: "pages", to, label: t(key) }));

const actions = (): Hit[] => ([
  ["/shop/new-product", "shop.products.new"], ["/shop/licenses/grant", "shop.licenses.grant.title"],
] as const).map(([to, key]) => ({ group: "actions", to, label: t(key) }));

// ownHits are the pages and actions whose names contain what was typed.
export const ownHits = (typed: string): Hit[] => {
  const words = typed.trim().toLowerCase().split(/\s+/);
  return [...pages(), ...actions()].filter((hit) => words.every((word) => hit.label.toLowerCase().includes(word)));
};

const few = 5; // of each kind

// found asks the server about what was typed. Of half a key it searches the last group.
export const found = async (typed: string): Promise<Hit[]> => {
  if (isKey(typed)) {
    const license = await byKey(typed);
    if (license) return [licenseHit(license)];
  }
  const q = searchable(typed);
  const query = { params: { query: { q, limit: few } } };
  const [users, orders, licenses, products, plugins] = await Promise.all([
    data(api.GET("/api/v1/admin/users", query)), data(api.GET("/api/v1/admin/orders", query)), data(api.GET("/api/v1/admin/licenses", query)),
    data(api.GET("/api/v1/admin/products", { params: { query: { q: q.slice(0, 100), limit: few } } })), pluginHits(q),
  ]);
  return [
    ...users.items.map((user): Hit => ({ group: "people", to: `/people/${user.id}`, label: user.email, detail: user.username })),
    ...orders.items.map(orderHit), ...licenses.items.map(licenseHit),
    ...products.items.map((p): Hit => ({ group: "products", to: `/shop/products/${p.slug}`, label: p.name, detail: p.slug })), ...plugins,
  ];
};

const orderHit = (o: Schemas["ManagedOrder"]): Hit => ({
  group: "orders", to: `/shop/orders/${o.id}`, label: `${o.productName} · ${formatMoney(o.amount, o.currency)}`,
  detail: `${t(`shop.orders.state.${o.status}`)} · ${o.userEmail ?? o.billingInfo?.email ?? t("shop.guest")} · ${o.id}`,
});

const licenseHit = (l: Schemas["ManagedLicense"]): Hit => ({
  group: "licenses", to: `/shop/licenses/${l.id}`, label: `${l.productName} · ${l.tierId}`,
  detail: `${t(`shop.licenses.state.${l.status}`)} · ${l.userEmail ?? t("shop.guest")} · ${l.id}`,
});

// The list of extensions has no search; a shop has few enough to look through.
const pluginHits = async (q: string): Promise<Hit[]> => {
  const list = await data(api.GET("/api/v1/admin/extensions", { params: { query: { limit: 100 } } }));
  const part = q.toLowerCase();
  return list.items
    .filter((e) => e.kind === "plugin" && (e.slug.includes(part) || e.name.toLowerCase().includes(part))).slice(0, few)
    .map((e) => ({ group: "plugins", to: `/plugins/${e.slug}`, label: e.name, detail: e.slug }));
};

const kept = "stoa-recent"; // in sessionStorage: addresses of customers must not outlive the tab

export const recent = (): Hit[] => {
  try {
    return (JSON.parse(sessionStorage.getItem(kept) ?? "[]") as Hit[]).map((hit) => ({ ...hit, group: "recent" }));
  } catch {
    return [];
  }
};

export const remember = (hit: Hit): void => {
  try {
    sessionStorage.setItem(kept, JSON.stringify([hit, ...recent().filter(({ to }) => to !== hit.to)].slice(0, few)));
  } catch {
    // Without storage nothing is recent.
  }
};
