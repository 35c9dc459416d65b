// The form of a discount.
import { Button, Checkbox, Select, TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import type { Schemas } from "../../../api/client";
import { decimalsOf, type Typed } from "../../../text/number";
import { ErrorNote } from "../../kit/ErrorNote";
import { NumberField } from "../../kit/NumberField";
import { useTyped } from "../../kit/useBase";
import { useFaults } from "../../kit/useFaults";
import { t } from "../../text";
import type { Discount } from "../types";
import { Plans, Products } from "./Where";

// DiscountBody is what is sent of a discount. Null takes away.
export type DiscountBody = Partial<Omit<NonNullable<Schemas["Discount"]>, "id" | "uses" | "createdAt" | "updatedAt">>;

interface DiscountFormProps {
  discount?: Discount;
  action: string;
  pending: boolean;
  error: unknown;
  retry?: () => void;
  onTyped?: (typed: boolean) => void;
  onSave: (body: DiscountBody) => void;
}

const ignore = () => undefined;

const minute = (at: string | undefined): string => at?.slice(0, 16) ?? "";

// moment is the time of a field. What nobody changed keeps the seconds that the field does not show.
const moment = (typed: string, before: string | undefined): string | null => {
  if (typed === "") return null;
  return before !== undefined && typed === minute(before) ? before : `${typed}:00Z`;
};

const first = (d: Discount | undefined) => ({
  code: d?.code ?? "",
  kind: d?.amountOff ? "amount" : "percent",
  percentOff: (d?.percentOff ?? "") as Typed,
  amountOff: (d?.amountOff ?? "") as Typed,
  currency: d?.currency ?? "EUR",
  products: d?.products ?? [],
  tiers: d?.tiers ?? [],
  duration: d?.duration ?? "once",
  startsAt: minute(d?.startsAt),
  endsAt: minute(d?.endsAt),
  maxUses: (d?.maxUses ?? "") as Typed,
  oncePerCustomer: d?.oncePerCustomer ?? false,
});

type Typing = ReturnType<typeof first>;

const bodyOf = (v: Typing, before: Discount | undefined): DiscountBody =>
  ({
    code: v.code.trim(),
    ...(v.kind === "percent"
      ? { percentOff: v.percentOff === "" ? 0 : v.percentOff }
      : { amountOff: v.amountOff === "" ? 0 : v.amountOff, currency: v.currency.trim().toUpperCase() }),
    products: v.products,
    tiers: v.tiers,
    duration: v.duration,
    startsAt: moment(v.startsAt, before?.startsAt),
    endsAt: moment(v.endsAt, before?.endsAt),
    maxUses: v.maxUses === "" ? null : v.maxUses,
    oncePerCustomer: v.oncePerCustomer,
  }) as DiscountBody;

export const DiscountForm = ({
  discount,
  action,
  pending,
  error,
  retry,
  onTyped = ignore,
  onSave,
}: DiscountFormProps) => {
  const [begun] = useState(() => first(discount));
  const [v, setV] = useState(begun);
  const set = (change: Partial<Typing>) => setV((old) => ({ ...old, ...change }));
  useTyped(JSON.stringify(v) !== JSON.stringify(begun), onTyped);
  const { issues, at } = useFaults(error, v);
  const save = (e: FormEvent) => {
    e.preventDefault();
    onSave(bodyOf(v, discount));
  };
  const used = (discount?.uses ?? 0) > 0;
  return (
    <form className="form" onSubmit={save} noValidate>
      <TextInput
        label={t("shop.discounts.code")}
        description={t(used ? "shop.discounts.codeFixed" : "shop.discounts.codeHow")}
        required
        disabled={used}
        maxLength={40}
        value={v.code}
        error={at("code")}
        onChange={(e) => set({ code: e.currentTarget.value })}
      />
      <div className="row" style={{ alignItems: "flex-start" }}>
        <Select
          label={t("shop.discounts.kind")}
          allowDeselect={false}
          data={[
            { value: "percent", label: t("shop.discounts.percentKind") },
            { value: "amount", label: t("shop.discounts.amountKind") },
          ]}
          value={v.kind}
          onChange={(kind) => set({ kind: kind ?? "percent" })}
          w={160}
        />
        {v.kind === "percent" ? (
          <NumberField
            label={t("shop.discounts.percent")}
            required
            decimals={2}
            value={v.percentOff}
            error={at("percentOff")}
            onChange={(percentOff) => set({ percentOff })}
            w={120}
          />
        ) : (
          <>
            <NumberField
              label={t("shop.discounts.amount")}
              required
              decimals={decimalsOf(v.currency)}
              value={v.amountOff}
              error={at("amountOff")}
              onChange={(amountOff) => set({ amountOff })}
              w={120}
            />
            <TextInput
              label={t("shop.discounts.currency")}
              required
              maxLength={3}
              value={v.currency}
              error={at("currency")}
              onChange={(e) => set({ currency: e.currentTarget.value })}
              w={100}
            />
          </>
        )}
      </div>
      <Products value={v.products} error={at("products")} onChange={(products) => set({ products })} />
      <Plans products={v.products} value={v.tiers} error={at("tiers")} onChange={(tiers) => set({ tiers })} />
      <Select
        label={t("shop.discounts.duration")}
        allowDeselect={false}
        data={[
          { value: "once", label: t("shop.discounts.once") },
          { value: "forever", label: t("shop.discounts.forever") },
        ]}
        value={v.duration}
        onChange={(duration) => set({ duration: (duration ?? "once") as Typing["duration"] })}
      />
      <div className="row" style={{ alignItems: "flex-start" }}>
        <TextInput
          type="datetime-local"
          label={t("shop.discounts.starts")}
          description={t("shop.discounts.startsHow")}
          style={{ flex: "1 1 220px" }}
          value={v.startsAt}
          error={at("startsAt")}
          onChange={(e) => set({ startsAt: e.currentTarget.value.slice(0, 16) })}
        />
        <TextInput
          type="datetime-local"
          label={t("shop.discounts.ends")}
          description={t("shop.discounts.endsHow")}
          style={{ flex: "1 1 220px" }}
          value={v.endsAt}
          error={at("endsAt")}
          onChange={(e) => set({ endsAt: e.currentTarget.value.slice(0, 16) })}
        />
      </div>
      <NumberField
        label={t("shop.discounts.maxUses")}
        description={t("shop.discounts.maxUsesHow")}
        value={v.maxUses}
        error={at("maxUses")}
        onChange={(maxUses) => set({ maxUses })}
      />
      <Checkbox
        label={t("shop.discounts.oncePerCustomer")}
        checked={v.oncePerCustomer}
        onChange={(e) => set({ oncePerCustomer: e.currentTarget.checked })}
      />
      {Boolean(error) && issues.length === 0 && <ErrorNote error={error} {...(retry ? { retry } : {})} />}
      <div className="row">
        <Button type="submit" variant="filled" loading={pending}>
          {action}
        </Button>
      </div>
    </form>
  );
};
