// Where the console shows markets, what they offer, and what came from them.
export const home = "/plugins/markets";
export const addressOf = (market: string): string => `${home}/${encodeURIComponent(market)}`;
export const offerAddress = (market: string, slug: string): string =>
  `${addressOf(market)}/${encodeURIComponent(slug)}`;

// packageAddress is the page of an installed package. Bundles have none.
export const packageAddress = ({ kind, slug }: { kind: string; slug: string }): string =>
  kind === "plugin" ? `/plugins/${slug}` : kind === "bundle" ? "/plugins" : `/themes/${kind}/${slug}`;
