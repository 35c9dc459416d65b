// The period that the figures are of: days in UTC, both included, as the address has them.
import { language } from "../../../text";
import type { ListSearch } from "../../kit/useListSearch";

export interface Period {
  from: string; // as 2030-03-01
  to: string;
}

export const spans = ["month", "quarter", "year", "own"] as const;
export type Span = (typeof spans)[number];

// The most days of a period, and of one that is shown by day.
const longest = 3653;
const longestByDay = 366;

const oneDay = 86_400_000;
const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);
const before = (day: string, days: number): string => dayOf(Date.parse(day) - days * oneDay);

const isDay = (text: unknown): text is string =>
  typeof text === "string" && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));

// spanOf says how an address names its period: by its days, or by a span that ends today.
export const spanOf = ({ span, from, to }: ListSearch): Span =>
  isDay(from) || isDay(to) ? "own" : span === "quarter" || span === "year" ? span : "month";

// periodOf is the period of an address.
export const periodOf = (search: ListSearch, today = dayOf(Date.now())): Period => {
  switch (spanOf(search)) {
    case "own": {
      const to = isDay(search["to"]) ? search["to"] : today;
      return { from: isDay(search["from"]) ? search["from"] : before(to, 29), to };
    }
    case "year":
      return { from: `${today.slice(0, 4)}-01-01`, to: today };
    case "quarter":
      return { from: before(today, 89), to: today };
    default:
      return { from: before(today, 29), to: today };
  }
};

const lengthOf = ({ from, to }: Period): number => (Date.parse(to) - Date.parse(from)) / oneDay + 1;

// hasDays says whether there are figures of each day of a period.
export const hasDays = (period: Period): boolean => lengthOf(period) <= longestByDay;

// faultOf is why there are no figures of a period, if so.
export const faultOf = (period: Period, by: string): "reversed" | "long" | "daily" | undefined => {
  if (lengthOf(period) < 1) return "reversed";
  if (lengthOf(period) > longest) return "long";
  return by === "day" && !hasDays(period) ? "daily" : undefined;
};

// daysOf are the days of a period.
export const daysOf = (period: Period): string[] =>
  Array.from({ length: lengthOf(period) }, (_, i) => dayOf(Date.parse(period.from) + i * oneDay));

const written = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeZone: "UTC" });

// nameOfDay writes a day. It is the same one wherever it is read.
export const nameOfDay = (day: string): string => written.format(Date.parse(day));
