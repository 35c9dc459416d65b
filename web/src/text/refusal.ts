// What people read of a refusal: texts by its code, in the language of the page. English readers get the API's own
// words, which are more precise. Pages load this when something fails: it imports nothing but types, so that the code
// that they begin with is not split because of it.
import type { inOwnWords, Issue, Problem } from "../api/problem";

const own: typeof inOwnWords = "IN_OWN_WORDS";
const language = document.documentElement.lang || "en";

// Common are the texts of every page.
type Common = (key: "unreachable" | "somethingFailed") => string;

// Sections are groups of a catalog's "errors". A page has those of the codes that it can meet.
export interface Sections {
  codes: Record<string, string>;
  reasons: Record<string, Record<string, string>>; // of details.reason, by code
  issues: Record<string, string>; // of details.issues
  fields: Record<string, string>; // what a field takes, by its name
  general: string;
}

// Words are what people read. said is what the API says, in English, where that is more than the text; at is the path
// of a field that the text does not name.
export interface Words {
  text: string;
  at?: string;
  said?: string;
}

// Codes whose text leaves out what matters.
const vague = new Set([
  "CONFLICT",
  "FORBIDDEN",
  "THEME_UNHEALTHY",
  "UPGRADE_FAILED",
  "VERSION_CONFLICT",
  "INVALID_ARCHIVE",
  "INVALID_BUNDLE",
  "INVALID_MANIFEST",
  "VALIDATION_ERROR",
]);
// Codes of which the API tells programs where the reason is. People read the text, and the reason as it is.
const reasoned = new Set(["MARKET_UNREACHABLE", "MARKET_UNTRUSTED"]);
// Faults whose text says everything.
const plain = new Set(["required", "too_common", "read_only", "before_from", "one_file", "not_unicode"]);

const units = [
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
] as const;

// duration writes seconds in their largest unit, rounded up.
const duration = (seconds: number): string => {
  const [unit, size] = units.find(([, size]) => seconds > size) ?? ["second", 1];
  return new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" }).format(
    Math.ceil(seconds / size),
  );
};

// sentence writes a fragment, as logs have it, as a sentence.
const sentence = (fragment: string): string => `${fragment.charAt(0).toUpperCase()}${fragment.slice(1)}.`;

export const refusals = ({ codes, reasons, issues, fields, general }: Sections) => {
  // words are what people read of a problem.
  const words = (problem: Problem, c: Common): Words => {
    const { code, message, details, issues: faults, unreachable, ours, wait } = problem;
    if (code === own) return { text: message };
    if (unreachable) return { text: c("unreachable") };
    if (ours && code === "INTERNAL_ERROR") return { text: c("somethingFailed") };
    const fact = reasoned.has(code) && codes[code] ? details["reason"] : undefined;
    if (typeof fact === "string") return { text: codes[code] ?? general, said: sentence(fact) };
    if (language === "en" && message) return { text: message };
    const reason = reasons[code]?.[String(details["reason"])];
    if (reason) return { text: reason };
    const text = codes[code]?.replace("{time}", duration(wait || 60));
    if (text && (!vague.has(code) || faults.length > 0 || !message)) return { text };
    return { text: text ?? general, ...(message && { said: message }) };
  };

  // faultWords are what people read of a fault at its field. said is the message without the field's name.
  const faultWords = ({ code, path = "" }: Issue, said: string): Words => {
    if (language === "en") return { text: said };
    const field = ["out_of_range", "invalid"].includes(code) && fields[path.replace(/^.*\./, "")];
    if (field) return { text: field };
    const text = issues[code] ?? general;
    return { text, ...(path && { at: path }), ...(!plain.has(code) && said && { said }) };
  };

  return { words, faultWords };
};

// inOne writes words where only a text can stand.
export const inOne = ({ text, said }: Words): string => (said ? `${text} (${said})` : text);
