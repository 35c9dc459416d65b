// A product while it is edited: what the fields hold, and what of it is sent.
import type { Schemas } from "../../../api/client";
import { sent, type Typed } from "../../../text/number";
import type { Product } from "../types";
import { translationsOf, wordsOf, type Translations } from "./translated";

type Whole = Schemas["ProductInput"];
// In the generated type, fields with a default must be there. They need not be sent.
export type Input = Partial<Whole>;
export const asBody = (input: Input): Whole => input as Whole;
export type Period = "monthly" | "yearly" | "one-time";

export interface Tier {
  id: string;
  name: string;
  description: string;
  currency: string;
  features: string[];
  highlighted: boolean;
  price: Typed;
  maxInstances: Typed;
  trialDays: Typed;
  billingPeriod: Period;
}
export interface Feature {
  title: string;
  description: string;
  items: string[];
}
export interface Question {
  question: string;
  answer: string;
}
export interface Row {
  feature: string;
  values: Record<string, boolean | string>;
}

export interface Draft {
  slug: string;
  name: string;
  category: string;
  shortDescription: string;
  description: string;
  fullDescription: string;
  icon: string;
  screenshots: string[];
  highlights: string[];
  features: Feature[];
  pricingTiers: Tier[];
  faq: Question[];
  comparison: { columns: string[]; rows: Row[] } | null;
  featured: boolean;
  trending: boolean;
  position: Typed;
  refundDays: Typed;
  translations: Translations;
}

export const newTier = (currency = "EUR"): Tier => ({
  id: "",
  name: "",
  description: "",
  price: 0,
  currency,
  billingPeriod: "one-time",
  features: [],
  highlighted: false,
  maxInstances: 1,
  trialDays: 0,
});

export const newDraft = (): Draft => ({
  slug: "",
  name: "",
  category: "",
  shortDescription: "",
  description: "",
  fullDescription: "",
  icon: "",
  screenshots: [],
  highlights: [],
  features: [],
  pricingTiers: [newTier()],
  faq: [],
  comparison: null,
  featured: false,
  trending: false,
  position: 0,
  refundDays: 0,
  translations: {},
});

export const draftOf = (p: Product): Draft => {
  const original = originalOf(p);
  const translations = Object.entries(p.translations ?? {}).map(([tag, t]) => [tag, wordsOf(original, t)]);
  return { ...original, translations: Object.fromEntries(translations) };
};

const originalOf = (p: Product): Omit<Draft, "translations"> => ({
  slug: p.slug,
  name: p.name,
  category: p.category,
  shortDescription: p.shortDescription,
  description: p.description,
  fullDescription: p.fullDescription === p.description ? "" : p.fullDescription, // the server's default
  icon: p.icon,
  screenshots: p.screenshots,
  highlights: p.highlights,
  features: p.features,
  faq: p.faq,
  pricingTiers: p.pricingTiers.map((tier) => ({
    ...tier,
    price: tier.price ?? "", // a draft's tier may have none
    currency: tier.currency ?? "",
    billingPeriod: tier.billingPeriod ?? "one-time",
    highlighted: tier.highlighted ?? false,
    maxInstances: tier.maxInstances ?? 1,
    trialDays: tier.trialDays ?? 0,
  })),
  comparison: p.comparison ?? null,
  featured: p.featured,
  trending: p.trending,
  position: p.position,
  refundDays: p.refundDays ?? 0,
});

const filled = (lines: string[]): string[] => lines.map((line) => line.trim()).filter(Boolean);
// A number that is missing is left out, so that the server says so.
const numeric = (n: Typed): number => sent(n) as number;

// inputOf is what is sent of a draft. Empty lines of lists go.
export const inputOf = (d: Draft): Input => ({
  name: d.name,
  category: d.category,
  shortDescription: d.shortDescription,
  description: d.description,
  fullDescription: d.fullDescription || null,
  icon: d.icon,
  screenshots: d.screenshots,
  highlights: filled(d.highlights),
  features: d.features.map((f) => ({ ...f, items: filled(f.items) })),
  pricingTiers: d.pricingTiers.map(({ highlighted, ...tier }) => ({
    ...tier,
    price: numeric(tier.price),
    maxInstances: numeric(tier.maxInstances),
    trialDays: numeric(tier.trialDays || 0),
    features: filled(tier.features),
    ...(highlighted ? { highlighted } : {}),
  })),
  comparison: d.comparison && d.comparison.rows.length > 0 ? d.comparison : null,
  faq: d.faq,
  featured: d.featured,
  trending: d.trending,
  position: numeric(d.position),
  refundDays: numeric(d.refundDays),
  translations: translationsOf(d),
});

// changesOf are the fields of an input that differ between two drafts.
export const changesOf = (from: Draft, to: Draft): Input => {
  const before = inputOf(from) as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(inputOf(to)).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name])),
  );
};

// rebased is a draft on what was saved of it: what was typed since it was sent stays, and the rest is as it is saved,
// what somebody else changed included.
export const rebased = (draft: Draft, sent: Draft, saved: Draft): Draft => {
  const typed = Object.entries(draft).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(sent[name as keyof Draft]),
  );
  return { ...saved, ...Object.fromEntries(typed) };
};

// Letters that have no accent to take off, as they are usually written without them.
const spelled = new Map(Object.entries({ ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l", đ: "d", ð: "d", þ: "th", ı: "i" }));

// slugOf makes a slug of a name: "Büro Größe" becomes "buro-grosse".
export const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(/\p{L}/gu, (letter) => spelled.get(letter) ?? letter)
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 100);

// renameTier changes a tier's id in the comparison too.
export const renameTier = (comparison: Draft["comparison"], from: string, to: string): Draft["comparison"] =>
  comparison && {
    columns: comparison.columns.map((id) => (id === from ? to : id)),
    rows: comparison.rows.map((row) => ({
      ...row,
      values: Object.fromEntries(Object.entries(row.values).map(([id, value]) => [id === from ? to : id, value])),
    })),
  };

export const dropTier = (comparison: Draft["comparison"], gone: string): Draft["comparison"] =>
  comparison && {
    columns: comparison.columns.filter((id) => id !== gone),
    rows: comparison.rows.map((row) => ({
      ...row,
      values: Object.fromEntries(Object.entries(row.values).filter(([id]) => id !== gone)),
    })),
  };
