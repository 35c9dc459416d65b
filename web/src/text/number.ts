// Numbers and amounts of money as people type them, in any language. What cannot be read with
// certainty is no number: nothing here turns one number into another.
import { language } from "./index";

// The zeros of scripts with digits of their own, which follow each other.
const zeros = [0x660, 0x6f0, 0x966, 0x9e6, 0xe50, 0xff10];

const latin = (text: string): string =>
  text.replace(/\p{Nd}/gu, (digit) => {
    const code = digit.codePointAt(0) ?? 0;
    const zero = zeros.find((zero) => code >= zero && code < zero + 10);
    return zero === undefined ? digit : String(code - zero);
  });

const decimal = "\u066b";
const grouping = /[\s\u066c'’]/u;
const pieces = /^\d+(?:[\s\u066b\u066c'’.,]\d+)*$/u;

export interface NumberForm {
  decimals: number; // the most digits after the decimal separator
  signed?: boolean; // less than zero is allowed
}

// readNumber returns the number that a text means, or undefined. "1,234.56", "1.234,56" and "1 234,56"
// are the same number. A single point or comma before just three digits leaves open what it is
// (twoReadings), unless the number can have three decimals: then a point is the decimal separator.
export const readNumber = (text: string, { decimals, signed = false }: NumberForm): number | undefined => {
  let plain = latin(text.trim());
  const minus = signed && /^[-\u2212]/.test(plain);
  if (minus) plain = plain.slice(1);
  if (!pieces.test(plain)) return undefined;
  const groups = plain.split(/\D/u);
  const separators = [...plain.replace(/\d/gu, "")];
  const fraction = isFraction(separators, groups, decimals) ? (groups.pop() ?? "") : "";
  if (fraction !== "") separators.pop();
  if (fraction.length > decimals || !groupsWell(separators, groups)) return undefined;
  if (fraction === "" && isOpen(separators)) return undefined;
  const digits = groups.join("");
  if (digits.length + fraction.length > 15) return undefined; // more than a number of JSON holds exactly
  return Number(`${minus ? "-" : ""}${digits}.${fraction}`);
};

// isOpen reports whether a number without a fraction has one separator that may begin one elsewhere.
const isOpen = (separators: string[]): boolean => separators.length === 1 && /[.,]/.test(separators[0] ?? "");

// twoReadings returns both numbers that a text such as "1.234" may mean to people, or undefined.
export const twoReadings = (text: string): { whole: string; fraction: string } | undefined => {
  const [, first, rest] = /^([1-9]\d{0,2})[.,](\d{3})$/.exec(latin(text.trim())) ?? [];
  return first && rest ? { whole: first + rest, fraction: `${first}.${rest}` } : undefined;
};

// Typed is what a field for a number holds: the number, "" for none, or a text that is no number.
export type Typed = number | string;

// sent is what is sent of it. A text goes as it is, so that the server refuses it too.
export const sent = (typed: Typed): number | undefined => (typed === "" ? undefined : (typed as number));

// isFraction reports whether what follows the last separator is a fraction.
const isFraction = (separators: string[], groups: string[], decimals: number): boolean => {
  const last = separators.at(-1);
  if (last === undefined || grouping.test(last)) return false;
  if (last === decimal || separators.length > 1) return separators.filter((s) => s === last).length === 1;
  const digits = groups.at(-1)?.length ?? 0;
  return digits !== 3 || (last === "." && decimals > 2);
};

// groupsWell reports whether one separator groups thousands, or lakhs and crores as in India.
const groupsWell = (separators: string[], [first = "", ...rest]: string[]): boolean => {
  if (rest.length === 0) return true;
  if (separators.some((s) => s !== separators[0]) || first.startsWith("0") || rest.at(-1)?.length !== 3) return false;
  const middle = rest.slice(0, -1).map((group) => group.length);
  return (
    (first.length <= 3 && middle.every((n) => n === 3)) ||
    (first.length <= 2 && middle.every((n) => n === 2) && separators[0] === ",")
  );
};

// decimalsOf returns how many decimals amounts of a currency have; 2 if it is none.
export const decimalsOf = (currency: string): number => {
  try {
    return (
      new Intl.NumberFormat(language, { style: "currency", currency }).resolvedOptions().maximumFractionDigits ?? 2
    );
  } catch {
    return 2; // not a currency yet
  }
};

// writeNumber writes a number so that readNumber reads the same one: without groups.
export const writeNumber = (n: number, { decimals }: NumberForm): string =>
  decimals > 0 && !Number.isInteger(n) && decimals <= 4 ? n.toFixed(Math.max(decimals, fractionOf(n))) : String(n);

const fractionOf = (n: number): number => String(n).split(".")[1]?.length ?? 0;
