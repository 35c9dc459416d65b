import { CopyText } from "../kit/CopyText";
import { m } from "./text";

// Fingerprint shows the fingerprint of a market's root in groups, as people compare it.
export const Fingerprint = ({ of }: { of: string }) => (
  <CopyText value={of} shown={of.match(/.{1,4}/g)?.join(" ") ?? of} what={m("markets.fingerprint")} />
);
