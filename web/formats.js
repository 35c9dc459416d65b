// Writes how people write numbers, amounts of money and days in each language of texts/, as Intl has it:
// stoa's pages without scripts read it, so that a price looks the same on both kinds of pages
// (internal/html/wording/formats.json). node formats.js --check tells whether the file is up to date.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { argv, exit } from "node:process";

const here = import.meta.dirname;
const file = join(here, "../internal/html/wording/formats.json");
const tags = readdirSync(join(here, "texts"))
  .map((name) => name.replace(/\.json$/, ""))
  .sort();

const partsOf = (format, value) => format.formatToParts(value);
const part = (format, value, type) => partsOf(format, value).find((p) => p.type === type)?.value ?? "";

// money is what stands around an amount: "#\u00a0€".
const money = (tag, currency) =>
  partsOf(new Intl.NumberFormat(tag, { style: "currency", currency, maximumFractionDigits: 0 }), 1)
    .map(({ type, value }) => (type === "integer" ? "#" : value))
    .join("");

// day is how the 2nd of a month of 2006 is written: "{d} janv. {y}".
const day = (tag, month) =>
  partsOf(new Intl.DateTimeFormat(tag, { dateStyle: "medium", timeZone: "UTC" }), new Date(Date.UTC(2006, month, 2)))
    .map(({ type, value }) => ({ day: value === "02" ? "{dd}" : "{d}", year: "{y}" })[type] ?? value)
    .join("");

// between is what stands between a day and a time, " à ". The day's own sign, as in "2日 ", is not part of it.
const between = (tag) => {
  const parts = partsOf(
    new Intl.DateTimeFormat(tag, { dateStyle: "long", timeStyle: "short", timeZone: "UTC" }),
    new Date(Date.UTC(2006, 0, 2)),
  );
  return parts[parts.findIndex(({ type }) => type === "hour") - 1].value.replace("日", "");
};

const formatsOf = (tag) => {
  const number = new Intl.NumberFormat(tag, { minimumFractionDigits: 1 });
  const symbols = {};
  const code = money(tag, "XTS").replace("XTS", "¤"); // a currency for tests: it has no symbol
  for (const currency of Intl.supportedValuesOf("currency")) {
    const written = money(tag, currency);
    if (written !== code.replace("¤", currency)) symbols[currency] = written;
  }
  return {
    group: part(number, 1234567, "group"),
    least: part(number, 1234, "group") ? 4 : 5, // how many digits are grouped
    decimal: part(number, 1, "decimal"),
    code,
    symbols,
    days: Array.from({ length: 12 }, (_, month) => day(tag, month)),
    between: between(tag),
  };
};

const written = `${JSON.stringify(Object.fromEntries(tags.map((tag) => [tag, formatsOf(tag)])), null, 1)}\n`;
if (!argv.includes("--check")) writeFileSync(file, written);
else if (readFileSync(file, "utf8") !== written) {
  console.error("internal/html/wording/formats.json is out of date: run node formats.js in web/");
  exit(1);
}
