// The server's faults of a product, at the fields that they are about.
import { createContext, useContext } from "react";
import type { Issue } from "../../../api/problem";
import { same, says } from "../../kit/useFaults";
import { t } from "../../text";
import { inputOf, type Draft } from "./draft";

export const Faults = createContext<Issue[]>([]);

// useFault returns the fault of a field, as a field's property.
export const useFault = (path: string): { error?: string } => {
  const found = useContext(Faults).find((issue) => issue.path === path);
  return found ? { error: says(found) } : {};
};

// useFaultsIn is useFault for a field whose lines the server counts: "highlights[2]".
export const useFaultsIn = (path: string): { error?: string } => {
  const found = useContext(Faults).filter((issue) => issue.path === path || issue.path?.startsWith(`${path}[`));
  return found.length > 0 ? { error: found.map(says).join(" ") } : {};
};

// nameOf is a field as sentences name it.
export const nameOf = (field: string): string => {
  const key = `shop.editor.field.${field}`;
  const text = t(key as "shop.editor.field.name");
  return text === key ? field : text;
};

// still are the faults of what was sent, without those of fields that were changed since.
export const still = (faults: Issue[], was: Draft | null, now: Draft): Issue[] => {
  if (!was || was === now) return faults;
  const before = { slug: was.slug, ...inputOf(was) };
  const after = { slug: now.slug, ...inputOf(now) };
  return faults.filter(({ path = "" }) => same(at(before, path), at(after, path)));
};

// at returns what stands at a path such as "pricingTiers[0].price".
const at = (from: unknown, path: string): unknown =>
  path
    .split(/[.[\]]+/)
    .filter(Boolean)
    .reduce((value, step) => (value as Record<string, unknown> | null | undefined)?.[step], from);
