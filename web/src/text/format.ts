// Numbers, money and times as people in the language of the page write them.
import { language } from "./index";

const number = new Intl.NumberFormat(language);
const compact = new Intl.NumberFormat(language, { notation: "compact", maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 1 });
const exactPercent = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 2 });
const exact = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "medium" });
const day = new Intl.DateTimeFormat(language, { dateStyle: "medium" });
const relative = new Intl.RelativeTimeFormat(language, { numeric: "auto", style: "long" });

export const formatNumber = (n: number): string => number.format(n);
export const formatCompact = (n: number): string => compact.format(n);
export const formatShare = (n: number): string => percent.format(n);
// formatPercent writes a number of percent, 12.5, with all its decimals.
export const formatPercent = (n: number): string => exactPercent.format(n / 100);
export const formatExact = (at: string): string => exact.format(new Date(at));
export const formatDay = (at: string): string => day.format(new Date(at));

const currencies = new Map<string, Intl.NumberFormat>();

// formatMoney writes an amount in the currency's main unit, as the API has it.
export const formatMoney = (amount: number, currency: string): string => {
  let format = currencies.get(currency);
  if (!format) {
    format = new Intl.NumberFormat(language, { style: "currency", currency, trailingZeroDisplay: "stripIfInteger" });
    currencies.set(currency, format);
  }
  return format.format(amount);
};

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_557_600],
  ["month", 2_629_800],
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

// formatRelative says how long ago or ahead a time is. Less than a minute is "now". What ends in almost three days
// ends "in 3 days": it began with them a moment ago.
export const formatRelative = (at: string, now = Date.now()): string => {
  let seconds = (new Date(at).getTime() - now) / 1000;
  if (seconds > 0) seconds *= 1.02;
  const [unit, size] = units.find(([, s]) => Math.abs(seconds) >= s) ?? ["second", Infinity];
  return relative.format(unit === "second" ? 0 : Math.trunc(seconds / size), unit);
};

// formatBytes writes a size in kB, MB or GB, and a small one in bytes: in full, because the
// short form of bytes has no plural. What would be rounded to 1,024 of a unit is 1 of the next.
export const formatBytes = (n: number): string => {
  const units = [
    ["gigabyte", 1 << 30],
    ["megabyte", 1 << 20],
    ["kilobyte", 1 << 10],
  ] as const;
  const [unit, size] = units.find(([, s]) => n >= s - s / 1024 / 20) ?? ["byte", 1];
  const unitDisplay = unit === "byte" ? "long" : "short";
  return new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay, maximumFractionDigits: 1 }).format(
    n / size,
  );
};

export const formatDuration = (ms: number): string =>
  ms < 1000 ? `${number.format(Math.round(ms))} ms` : `${number.format(Math.round(ms / 100) / 10)} s`;
