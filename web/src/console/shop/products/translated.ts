// What a product says in other languages while it is edited. Lists have an entry for each of the original's, in
// its order, and follow it; a text that is empty is said as in the original.
import type { Schemas } from "../../../api/client";
import type { Draft, Feature, Question } from "./draft";

type Translation = Schemas["Translation"];

export interface TierWords {
  name: string;
  description: string;
  features: string[];
}
export interface RowWords {
  feature: string;
  values: Record<string, string>; // by tier id
}
export interface Words {
  name: string;
  shortDescription: string;
  description: string;
  fullDescription: string;
  highlights: string[];
  features: Feature[];
  faq: Question[];
  tiers: TierWords[];
  rows: RowWords[];
}
export type Translations = Record<string, Words>; // by tag

type Original = Omit<Draft, "translations">;

const noFeature = (): Feature => ({ title: "", description: "", items: [] });
const noQuestion = (): Question => ({ question: "", answer: "" });
const noTier = (): TierWords => ({ name: "", description: "", features: [] });
const noRow = (): RowWords => ({ feature: "", values: {} });

// wordsOf is what a draft says in a language of which the server tells, or which is new.
export const wordsOf = (d: Original, t: Translation = {}): Words => ({
  name: t.name ?? "",
  shortDescription: t.shortDescription ?? "",
  description: t.description ?? "",
  fullDescription: t.fullDescription ?? "",
  highlights: t.highlights ?? [],
  features: (t.features ?? d.features.map(noFeature)).map(({ title, description = "", items }, i) => ({
    title: unlike(title, d.features[i]?.title),
    description: unlike(description, d.features[i]?.description),
    items: items.join("\n") === d.features[i]?.items.join("\n") ? [] : items,
  })),
  faq: (t.faq ?? d.faq.map(noQuestion)).map(({ question, answer }, i) => ({
    question: unlike(question, d.faq[i]?.question),
    answer: unlike(answer, d.faq[i]?.answer),
  })),
  tiers: d.pricingTiers.map(({ id }) => ({ ...noTier(), ...t.tiers?.[id] })),
  rows: (d.comparison?.rows ?? []).map((_, i) => {
    const { feature = "", values = {} } = t.comparison?.rows[i] ?? {};
    return { feature, values: values as Record<string, string> };
  }),
});

// unlike is a text, or nothing if it is the original's.
const unlike = (text: string, original = ""): string => (text === original ? "" : text);

const filled = (lines: string[]): string[] => lines.map((line) => line.trim()).filter(Boolean);
const some = <T>(list: T[]): T[] | undefined => (list.length > 0 ? list : undefined);
// members are those of an object that have a value.
const members = <T extends object>(of: T): Partial<T> =>
  Object.fromEntries(Object.entries(of).filter(([, value]) => value !== undefined && value !== "")) as Partial<T>;
// said reports whether there is any text in a list.
const said = (value: object | string): boolean =>
  typeof value === "string" ? value.trim() !== "" : Object.values(value).some(said);

// spoken is a draft as it is in a language.
export const spoken = (d: Draft, w: Words | undefined): Draft =>
  w === undefined
    ? d
    : {
        ...d,
        name: w.name || d.name,
        shortDescription: w.shortDescription || d.shortDescription,
        description: w.description || d.description,
        fullDescription: w.fullDescription || d.fullDescription,
        highlights: some(filled(w.highlights)) ?? d.highlights,
        features: featuresOf(d, w),
        faq: faqOf(d, w),
        pricingTiers: d.pricingTiers.map((tier, i) => {
          const { name, description, features } = w.tiers[i] ?? noTier();
          return {
            ...tier,
            name: name || tier.name,
            description: description || tier.description,
            features: some(filled(features)) ?? tier.features,
          };
        }),
        comparison: d.comparison && {
          ...d.comparison,
          rows: d.comparison.rows.map((row, i) => {
            const { feature, values } = w.rows[i] ?? noRow();
            return {
              feature: feature || row.feature,
              values: { ...row.values, ...(members(values) as RowWords["values"]) },
            };
          }),
        },
      };

// featuresOf and faqOf are whole lists: what is not said in them is the original's.
const featuresOf = (d: Original, w: Words): Feature[] =>
  said(w.features)
    ? w.features.map((f, i) => ({
        title: f.title || (d.features[i]?.title ?? ""),
        description: f.description || (d.features[i]?.description ?? ""),
        items: some(filled(f.items)) ?? filled(d.features[i]?.items ?? []),
      }))
    : d.features;
const faqOf = (d: Original, w: Words): Question[] =>
  said(w.faq)
    ? w.faq.map((q, i) => ({
        question: q.question || (d.faq[i]?.question ?? ""),
        answer: q.answer || (d.faq[i]?.answer ?? ""),
      }))
    : d.faq;

// translationOf is what is sent of a language.
const translationOf = (d: Original, w: Words): Translation => {
  const tiers = w.tiers.flatMap((tier, i): [string, object][] => {
    const id = d.pricingTiers[i]?.id;
    const words = members({ ...tier, features: some(filled(tier.features)) });
    return id && Object.keys(words).length > 0 ? [[id, words]] : [];
  });
  const rows = w.rows.map(({ feature, values }, i) => {
    const texts = d.comparison?.rows[i]?.values ?? {};
    const own = members(Object.fromEntries(Object.entries(values).filter(([id]) => typeof texts[id] === "string")));
    return members({ feature, values: Object.keys(own).length > 0 ? own : undefined });
  });
  return members({
    name: w.name,
    shortDescription: w.shortDescription,
    description: w.description,
    fullDescription: w.fullDescription,
    highlights: some(filled(w.highlights)),
    features: said(w.features) ? featuresOf(d, w) : undefined,
    faq: said(w.faq) ? faqOf(d, w) : undefined,
    tiers: tiers.length > 0 ? Object.fromEntries(tiers) : undefined,
    comparison: rows.some((row) => Object.keys(row).length > 0) ? { rows } : undefined,
  }) as Translation;
};

// translationsOf is what is sent of all languages: none of those that say nothing.
export const translationsOf = (d: Draft): Record<string, Translation> | null => {
  const all = Object.entries(d.translations)
    .map(([tag, words]): [string, Translation] => [tag, translationOf(d, words)])
    .filter(([, words]) => Object.keys(words).length > 0)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return all.length > 0 ? Object.fromEntries(all) : null;
};

// followed is a draft whose translations follow what was added, moved and removed in the original.
export const followed = (was: Draft, now: Draft): Draft => {
  const columns = moved(was.pricingTiers, now.pricingTiers);
  const ids = new Map(now.pricingTiers.map((tier, i) => [was.pricingTiers[columns[i] ?? -1]?.id, tier.id]));
  const translations = Object.entries(now.translations).map(([tag, w]): [string, Words] => [
    tag,
    {
      ...w,
      features: follow(was.features, now.features, w.features, noFeature),
      faq: follow(was.faq, now.faq, w.faq, noQuestion),
      tiers: follow(was.pricingTiers, now.pricingTiers, w.tiers, noTier),
      rows: follow(was.comparison?.rows ?? [], now.comparison?.rows ?? [], w.rows, noRow).map((row) => ({
        ...row,
        values: Object.fromEntries(Object.entries(row.values).map(([id, text]) => [ids.get(id) ?? id, text])),
      })),
    },
  ]);
  return { ...now, translations: Object.fromEntries(translations) };
};

// moved tells of each entry where it was before; -1 if it is new. An entry that is another object at the same
// place of a list of the same length was edited.
const moved = <T>(was: T[], now: T[]): number[] =>
  now.map((entry, i) => {
    const at = was.indexOf(entry);
    return at >= 0 || was.length !== now.length ? at : i;
  });

const follow = <T, W>(was: T[], now: T[], words: W[], none: () => W): W[] =>
  was === now || words.length !== was.length ? words : moved(was, now).map((at) => words[at] ?? none());
