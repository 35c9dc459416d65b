// The texts of each language, texts/<tag>.json: what is wrong with them, and the pseudo languages that are
// made of English. node texts.js fails if something is wrong.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { argv, exit } from "node:process";
import { fileURLToPath } from "node:url";

const folder = join(import.meta.dirname, "texts");
const source = "en";

export const read = (tag) => JSON.parse(readFileSync(join(folder, `${tag}.json`), "utf8"));
export const tags = () =>
  readdirSync(folder)
    .map((name) => name.replace(/\.json$/, ""))
    .sort();

// flat lists the texts by their path, "shop.catalog.title".
const flat = (part, path = "") =>
  Object.entries(part).flatMap(([name, inner]) =>
    typeof inner === "string" ? [[path + name, inner]] : flat(inner, `${path}${name}.`),
  );

const plural = /\.(zero|one|two|few|many|other)$/;
const holes = (text) => [...new Set(text.match(/\{\w+\}/g) ?? [])].sort().join(" ");

// isCount tells a group of texts by number from one in which a key is only called like that.
const counts = (texts) =>
  new Set(
    [...texts.keys()]
      .filter((key) => key.endsWith(".other") && texts.has(key.replace(/other$/, "one")))
      .map((key) => key.replace(plural, "")),
  );

// Sections that a language may lack as a whole: what has them is in English then.
const optional = ["mails"];

// faults returns what is wrong with the texts of a language: every text of English is there, with the same
// holes, and nothing else; a text by number has all the forms that the language has.
export const faults = (tag, texts, english = read(source)) => {
  const own = Object.fromEntries(
    Object.entries(english).filter(([section]) => section in texts || !optional.includes(section)),
  );
  const wanted = new Map(flat(own)),
    found = new Map(flat(texts));
  const counted = counts(wanted);
  const forms = new Intl.PluralRules(tag).resolvedOptions().pluralCategories;
  const keys = [...wanted.keys()].flatMap((key) => {
    const base = key.replace(plural, "");
    if (!counted.has(base)) return [[key, key]];
    return key.endsWith(".other") ? forms.map((form) => [`${base}.${form}`, key]) : [];
  });
  const known = new Set(keys.map(([key]) => key));
  return [
    ...keys.filter(([key]) => !found.get(key)?.trim()).map(([key]) => `${tag}: ${key} has no text`),
    ...[...found.keys()].filter((key) => !known.has(key)).map((key) => `${tag}: ${key} is no text of ${source}`),
    ...keys
      .filter(([key, like]) => found.has(key) && !holesFit(key, holes(found.get(key)), holes(wanted.get(like))))
      .map(
        ([key, like]) =>
          `${tag}: ${key} has the holes ${holes(found.get(key)) || "none"}, not ${holes(wanted.get(like)) || "none"}`,
      ),
  ];
};

// A form for one number may leave the number out: "one product".
const holesFit = (key, found, wanted) =>
  found === wanted || (/\.(zero|one|two)$/.test(key) && found === wanted.replace(/\{n\} ?/, "").trim());

// mapped changes every text, outside of its holes.
const mapped = (part, change) =>
  Object.fromEntries(
    Object.entries(part).map(([name, inner]) => [
      name,
      typeof inner === "string" ? change(inner) : mapped(inner, change),
    ]),
  );
const outside = (text, change) =>
  text
    .split(/(\{\w+\})/)
    .map((piece, i) => (i % 2 ? piece : change(piece)))
    .join("");

const letters = "aåAÅbƀBƁcçCÇdđDĐeéEÉfƒFƑgĝGĜhĥHĤiîIÎjĵJĴkķKĶlļLĻmɱMṀnñNÑoöOÖpþPÞrŕRŔsšSŠtţTŢuûUÛvṽVṼwŵWŴxẋXẊyýYÝzžZŽ";
const accents = new Map(Array.from({ length: letters.length / 2 }, (_, i) => [letters[2 * i], letters[2 * i + 1]]));
const words = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

// longer is a text with accents, in brackets, and longer by two fifths.
const longer = (text) => {
  const accented = outside(text, (piece) => piece.replace(/[a-z]/gi, (letter) => accents.get(letter) ?? letter));
  let more = "";
  for (let i = 0; more.length < text.length * 0.4 - 2; i++) more += ` ${words[i % words.length]}`;
  return `[${accented}${more}]`;
};

// turned is a text whose letters run from right to left.
const turned = (text) => outside(text, (piece) => piece.replace(/[\p{L}\p{N}]+/gu, "\u200f\u202e$&\u202c\u200f"));

// pseudo are the languages that show what a page cannot bear, by tag.
export const pseudo = () => ({ "ar-XB": mapped(read(source), turned), "en-XA": mapped(read(source), longer) });

if (argv[1] === fileURLToPath(import.meta.url)) {
  const found = tags().flatMap((tag) => faults(tag, read(tag)));
  for (const fault of found) console.error(`texts: ${fault}`);
  if (found.length > 0) exit(1);
}
