// The areas of the console, each with the pages that its menu leads to.
import { eventsPages } from "../events/pages";
import { mayOpen } from "../kit/pages";
import { peoplePages } from "../people/pages";
import { settingsPages } from "../settings/pages";
import { shopPages } from "../shop/pages";
import { pluginsPages } from "../plugins/pages";
import { t } from "../text";

const areas = [
  { key: "overview", at: "/", pages: [{ to: "/", title: t("nav.overview") }] },
  { key: "shop", at: "/shop", pages: shopPages },
  { key: "plugins", at: "/plugins", pages: pluginsPages },
  { key: "themes", at: "/themes", pages: [{ to: "/themes", title: t("nav.themes") }] },
  { key: "people", at: "/people", pages: peoplePages },
  { key: "events", at: "/events", pages: eventsPages },
  { key: "settings", at: "/settings", pages: settingsPages },
] as const;

export type Area = (typeof areas)[number]["key"];

// openAreas are those with a page that the user may open, with these pages.
export const openAreas = () =>
  areas
    .map(({ key, at, pages }) => ({ key, at, pages: pages.filter(({ to }) => mayOpen(to)) }))
    .flatMap(({ pages: [first, ...more], ...area }) => (first ? [{ ...area, first, pages: [first, ...more] }] : []));

// firstPage is where the console begins for the user.
export const firstPage = (): string | undefined => openAreas()[0]?.first.to;
