// How a market is: in a word, and in a sentence that says what to do.
import { State, type Tone } from "../kit/values";
import { self, type Market } from "./data";
import { m } from "./text";

export const tones: Record<Market["state"], Tone> = {
  ok: "good",
  unreachable: "warn",
  stale: "warn",
  untrusted: "bad",
};

export const stateWord = (state: Market["state"]): string => m(`markets.state.${state}`);

// nameOf is what a market is called here.
export const nameOf = ({ market, name, url }: Market): string =>
  market === self ? m("markets.here") : name || new URL(url).host;

export const MarketState = ({ market }: { market: Market }) => (
  <State tone={tones[market.state]}>{stateWord(market.state)}</State>
);

export const meaning = ({ market, state }: Market): string =>
  m(market === self ? "markets.means.self" : `markets.means.${state}`);
