// What the palette can find: pages and actions by their names, and what the server finds.
import { api, data, type Schemas } from "../../api/client";
import { currentSession, signOut } from "../../api/session";
import { chooseScheme } from "../../theme/scheme";
import { mayOpen } from "../kit/pages";
import { c, t } from "../text";
import { openAreas, type Area } from "./areas";

export type Group =
  "recent" | "pages" | "actions" | "people" | "orders" | "licenses" | "products" | "plugins" | "webhooks";
// A hit leads to a page, or runs an action there.
export interface Hit {
  group: Group;
  to: string;
  label: string;
  detail?: string;
  run?: () => void;
}

// Areas whose pages need the area's name beside their own.
const named = new Set<Area>(["plugins", "people", "events", "settings"]);

const pages = (): Hit[] =>
  openAreas().flatMap(({ key, pages }) =>
    pages.map(({ to, title }) => ({
      group: "pages",
      to,
      label: named.has(key) ? `${t(`nav.${key}`)}: ${title}` : title,
    })),
  );

const actions = (): Hit[] =>
  (
    [
      ["/shop/new-product", "shop.products.new"],
      ["/shop/licenses/grant", "shop.licenses.grant.title"],
    ] as const
  )
    .filter(([to]) => mayOpen(to))
    .map(([to, key]): Hit => ({ group: "actions", to, label: t(key) }))
    .concat(
      (["light", "dark", "auto"] as const).map((scheme) => ({
        group: "actions",
        to: `#${scheme}`,
        label: `${c("theme.label")}: ${c(`theme.${scheme}`)}`,
        run: () => chooseScheme(scheme),
      })),
      [{ group: "actions", to: "#sign-out", label: c("signOut"), run: () => void signOut() }],
    );

// ownHits are the pages and actions whose names contain what was typed.
export const ownHits = (typed: string): Hit[] => {
  const words = typed.trim().toLowerCase().split(/\s+/);
  return [...pages(), ...actions()].filter((hit) => words.every((word) => hit.label.toLowerCase().includes(word)));
};

type Found = Schemas["FoundGroup"];
type Item = Found["items"][number];

// found asks the server about what was typed, a name or number, or a license key or its end.
export const found = async (typed: string): Promise<Hit[]> => {
  const { groups } = await data(api.POST("/api/v1/admin/search", { body: { q: typed } }));
  return groups.flatMap(({ kind, items }) => items.map((item) => hits[kind](item)));
};

// The title of an order or a license is its id, which says less than what was bought.
const hits: Record<Found["kind"], (item: Item) => Hit> = {
  user: (it) => ({ group: "people", to: `/people/${it.id}`, label: it.title, detail: it.subtitle }),
  order: (it) => ({
    group: "orders",
    to: `/shop/orders/${it.id}`,
    label: it.subtitle,
    detail: `${state("orders", it.state)} · ${it.id}`,
  }),
  license: (it) => ({
    group: "licenses",
    to: `/shop/licenses/${it.id}`,
    label: it.subtitle,
    detail: `${state("licenses", it.state)} · ${it.id}`,
  }),
  product: (it) => ({
    group: "products",
    to: `/shop/products/${it.slug ?? it.id}`,
    label: it.title,
    detail: it.slug ?? "",
  }),
  plugin: (it) => ({ group: "plugins", to: `/plugins/${it.slug ?? it.id}`, label: it.title, detail: it.slug ?? "" }),
  instance: (it) => ({
    group: "plugins",
    to: `/plugins/${it.slug ?? ""}/${it.id}`,
    label: it.title,
    detail: it.subtitle,
  }),
  webhook: (it) => ({ group: "webhooks", to: `/events/webhooks/${it.id}`, label: it.title, detail: it.subtitle }),
};

// state is the word for a state that the shop's lists use; another stands as it is.
const state = (list: "orders" | "licenses", name: string): string => {
  const key = `shop.${list}.state.${name}`;
  const text = t(key as "shop.orders.state.paid");
  return text === key ? name : text;
};

const few = 5;
// In sessionStorage, a list for each user: addresses of customers must not outlive the tab, and who signs in next may
// not be allowed to see them.
const kept = () => `stoa-recent-${currentSession()?.user.id ?? ""}`;

export const recent = (): Hit[] => {
  try {
    return (JSON.parse(sessionStorage.getItem(kept()) ?? "[]") as Hit[]).map((hit) => ({ ...hit, group: "recent" }));
  } catch {
    return [];
  }
};

export const remember = (hit: Hit): void => {
  try {
    sessionStorage.setItem(kept(), JSON.stringify([hit, ...recent().filter(({ to }) => to !== hit.to)].slice(0, few)));
  } catch {
    // Without storage nothing is recent.
  }
};
