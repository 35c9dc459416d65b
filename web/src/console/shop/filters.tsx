// Filters that the lists of the shop share.
import "./shop.css";
import { Button } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconX } from "../kit/icons";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { api, data } from "../../api/client";
import { FindFilter } from "../kit/FindFilter";
import { useListSearch } from "../kit/useListSearch";
import { t } from "../text";

// useProductChoices finds products by what was typed, on the server.
export const useProductChoices = (typed: string, chosen: string | null) => {
  const [q] = useDebouncedValue(typed, 200);
  const found = useQuery({
    queryKey: ["products", "choices", q],
    queryFn: () =>
      data(api.GET("/api/v1/admin/products", { params: { query: { sort: "name", limit: 20, ...(q ? { q } : {}) } } })),
    placeholderData: keepPreviousData,
  });
  const choices = (found.data?.items ?? []).map((p) => ({ value: p.slug, label: p.name }));
  return chosen && !choices.some((choice) => choice.value === chosen)
    ? [{ value: chosen, label: chosen }, ...choices]
    : choices;
};

export const ProductFilter = () => (
  <FindFilter
    name="product"
    label={t("shop.filter.product")}
    none={t("shop.filter.noProduct")}
    useChoices={useProductChoices}
  />
);

// OfOne says that a list shows what belongs to one user or target, and takes that away.
export const OfOne = ({ name, label }: { name: string; label: string }) => {
  const { search, set } = useListSearch();
  if (search[name] === undefined) return null;
  return (
    <Button
      size="sm"
      rightSection={<IconX size={14} stroke={1.5} aria-hidden />}
      aria-label={t("shop.filter.remove", { label })}
      onClick={() => set({ [name]: undefined })}>
      {label}
    </Button>
  );
};

const day = 86_400_000;
const spans = { today: 0, week: 7, month: 30, year: 365 } as const;

export const spanChoices = () =>
  (Object.keys(spans) as (keyof typeof spans)[]).map((value) => ({ value, label: t(`shop.filter.span.${value}`) }));

// spanStart is the time from which a span counts: midnight, so that a list stays the same
// while it is looked through.
export const spanStart = (span: string | number | undefined): string | undefined => {
  if (span === undefined || !(span in spans)) return undefined;
  const midnight = new Date().setHours(0, 0, 0, 0);
  return new Date(midnight - spans[span as keyof typeof spans] * day).toISOString();
};
