// What a discount is for: products, which the server finds, and plans of these.
import { MultiSelect, type ComboboxItem, type OptionsFilter } from "@mantine/core";
import { queryOptions, useQueries } from "@tanstack/react-query";
import { useState } from "react";
import { api, data } from "../../../api/client";
import { t } from "../../text";
import { useProductChoices } from "../filters";
import type { Product } from "../types";

interface PickProps {
  value: string[];
  error: string | undefined;
  onChange: (value: string[]) => void;
}

// Where no product is chosen, plans are looked for in this many of those that are found.
const most = 10;

const productQuery = (slug: string) =>
  queryOptions({
    queryKey: ["products", slug],
    queryFn: () => data(api.GET("/api/v1/admin/products/{slug}", { params: { path: { slug } } })),
    retry: false, // a product that is gone stays so
  });

// What is listed has been found already.
const asFound: OptionsFilter = ({ options }) => options;

const Pick = ({ found, ...props }: PickProps & { label: string; description: string; found: Found[] } & Searching) => (
  <MultiSelect
    searchable
    data={found}
    filter={asFound}
    withScrollArea={false} // the list itself scrolls, as the keyboard moves in it
    renderOption={({ option }) => (
      <span className="clip">
        {option.label} <span className="soft small">{(option as Found).detail}</span>
      </span>
    )}
    {...props}
  />
);

interface Searching {
  nothingFoundMessage: string;
  onSearchChange: (typed: string) => void;
  onFocus?: () => void;
}

interface Found extends ComboboxItem {
  detail: string;
}

export const Products = (props: PickProps) => {
  const [typed, setTyped] = useState("");
  const choices = useProductChoices(typed, null);
  const chosen = useQueries({ queries: props.value.map(productQuery) });
  const first = props.value.map((slug, i) => ({ value: slug, label: chosen[i]?.data?.name ?? slug }));
  const all = [...first, ...choices.filter((choice) => !props.value.includes(choice.value))];
  return (
    <Pick
      label={t("shop.discounts.products")}
      description={t("shop.discounts.productsHow")}
      found={all.map((one) => ({ ...one, detail: one.value }))}
      nothingFoundMessage={t("shop.filter.noProduct")}
      onSearchChange={setTyped}
      {...props}
    />
  );
};

// plansOf are the plans of products. Those with the same id are one: a discount that names it is for all of them.
const plansOf = (products: Product[]): Found[] => {
  const byId = new Map<string, { names: Set<string>; of: string[] }>();
  for (const product of products) {
    for (const { id, name } of product.pricingTiers) {
      const plan = byId.get(id) ?? { names: new Set(), of: [] };
      byId.set(id, { names: plan.names.add(name), of: [...plan.of, product.name] });
    }
  }
  const named = (label: string) => [...byId.values()].filter(({ names }) => names.has(label)).length;
  return [...byId].map(([value, { names, of }]) => {
    const label = [...names].join(", ");
    return { value, label: named(label) > 1 ? `${label} (${value})` : label, detail: [value, ...of].join(" · ") };
  });
};

export const Plans = ({ products, ...props }: PickProps & { products: string[] }) => {
  const [typed, setTyped] = useState("");
  const [open, setOpen] = useState(false);
  const some = new Set([...useProductChoices(typed, null), ...useProductChoices("", null)].map((one) => one.value));
  const slugs = products.length > 0 ? products : open ? [...some].slice(0, most) : [];
  const read = useQueries({ queries: slugs.map(productQuery) });
  const plans = plansOf(read.flatMap((one) => one.data ?? []));
  const known = new Map(plans.map((plan) => [plan.value, plan]));
  const bare = (id: string): Found => ({ value: id, label: id, detail: "" });
  const word = typed.trim().toLowerCase();
  const others = plans.filter(
    ({ value, label, detail }) => !props.value.includes(value) && `${label} ${detail}`.toLowerCase().includes(word),
  );
  // The plan may be one of a product that is not among those that are found.
  const id = typed.trim();
  const own = products.length === 0 && id !== "" && !known.has(id) && !props.value.includes(id);
  return (
    <Pick
      label={t("shop.discounts.tiers")}
      description={t("shop.discounts.tiersHow")}
      found={[
        ...props.value.map((one) => known.get(one) ?? bare(one)),
        ...others,
        ...(own ? [{ ...bare(id), detail: t("shop.discounts.tierTyped") }] : []),
      ]}
      nothingFoundMessage={t("shop.discounts.noTier")}
      onSearchChange={setTyped}
      onFocus={() => setOpen(true)}
      {...props}
    />
  );
};
