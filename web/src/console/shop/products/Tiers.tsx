import { Autocomplete, Button, Checkbox, Select, Textarea, TextInput } from "@mantine/core";
import { NumberField } from "../../kit/NumberField";
import { Section } from "../../kit/Page";
import { decimalsOf } from "../../../text/number";
import { t } from "../../text";
import { dropTier, newTier, renameTier, slugOf, type Draft, type Period, type Row, type Tier } from "./draft";
import { Entries } from "./Entries";
import { useFault, useFaultsIn } from "./faults";
import { Lines, type FieldsProps } from "./fields";

export const Tiers = ({ draft, set }: FieldsProps) => {
  // The comparison names tiers by id: it follows what happens to them.
  const onChange = (pricingTiers: Tier[]) => {
    const kept = new Set(pricingTiers.map((tier) => tier.id));
    const gone = draft.pricingTiers.filter((tier) => !kept.has(tier.id));
    const renamed = pricingTiers.length === draft.pricingTiers.length ? gone[0] : undefined;
    if (renamed) {
      const to = pricingTiers[draft.pricingTiers.indexOf(renamed)]?.id ?? "";
      return set({ pricingTiers, comparison: renameTier(draft.comparison, renamed.id, to) });
    }
    set({
      pricingTiers,
      comparison: gone.reduce((comparison, tier) => dropTier(comparison, tier.id), draft.comparison),
    });
  };
  const currency = draft.pricingTiers[draft.pricingTiers.length - 1]?.currency ?? "EUR";
  const fault = useFault("pricingTiers");
  return (
    <Section title={t("shop.editor.tiers")}>
      {fault.error && <p className="fault">{fault.error}</p>}
      <Entries
        items={draft.pricingTiers}
        onChange={onChange}
        make={() => newTier(currency)}
        add={t("shop.editor.addTier")}
        name={(tier, i) => tier.name || t("shop.editor.tier", { n: i + 1 })}>
        {(tier, change, i) => <TierFields at={`pricingTiers[${i}]`} tier={tier} change={change} />}
      </Entries>
    </Section>
  );
};

const currencies = ["EUR", "USD", "GBP", "CHF", "JPY"];
const periods: Period[] = ["one-time", "monthly", "yearly"];

const TierFields = ({ at, tier, change }: { at: string; tier: Tier; change: (part: Partial<Tier>) => void }) => {
  const named = tier.id === slugOf(tier.name);
  return (
    <>
      <div className="pair">
        <TextInput
          label={t("shop.products.name")}
          required
          maxLength={200}
          value={tier.name}
          {...useFault(`${at}.name`)}
          onChange={(e) =>
            change({ name: e.currentTarget.value, ...(named ? { id: slugOf(e.currentTarget.value) } : {}) })
          }
        />
        <TextInput
          label={t("shop.editor.tierId")}
          required
          maxLength={100}
          value={tier.id}
          onChange={(e) => change({ id: e.currentTarget.value })}
          {...useFault(`${at}.id`)}
        />
      </div>
      <div className="pair">
        <NumberField
          label={t("shop.products.price")}
          required
          decimals={decimalsOf(tier.currency)}
          value={tier.price}
          onChange={(price) => change({ price })}
          {...useFault(`${at}.price`)}
        />
        <Autocomplete
          label={t("shop.editor.currency")}
          required
          maxLength={3}
          data={currencies}
          value={tier.currency}
          onChange={(currency) => change({ currency: currency.toUpperCase() })}
          {...useFault(`${at}.currency`)}
        />
      </div>
      <div className="pair">
        <Select
          label={t("shop.editor.billed")}
          data={periods.map((value) => ({ value, label: t(`shop.editor.period.${value}`) }))}
          value={tier.billingPeriod}
          onChange={(value) => change({ billingPeriod: value as Period })}
          {...useFault(`${at}.billingPeriod`)}
        />
        <NumberField
          label={t("shop.licenses.terms.seats")}
          value={tier.maxInstances}
          onChange={(maxInstances) => change({ maxInstances })}
          {...useFault(`${at}.maxInstances`)}
        />
        <NumberField
          label={t("shop.editor.trialDays")}
          value={tier.trialDays}
          onChange={(trialDays) => change({ trialDays })}
          {...useFault(`${at}.trialDays`)}
        />
      </div>
      <Textarea
        label={t("shop.editor.text")}
        autosize
        minRows={1}
        maxRows={6}
        maxLength={2000}
        value={tier.description}
        onChange={(e) => change({ description: e.currentTarget.value })}
        {...useFault(`${at}.description`)}
      />
      <Lines
        label={t("shop.editor.tierFeatures")}
        path={`${at}.features`}
        value={tier.features}
        onChange={(features) => change({ features })}
      />
      <Checkbox
        label={t("shop.editor.highlighted")}
        checked={tier.highlighted}
        onChange={(e) => change({ highlighted: e.currentTarget.checked })}
      />
    </>
  );
};

// Comparison is a table of the tiers: each cell is yes, no or a short text.
export const Comparison = ({ draft, set }: FieldsProps) => {
  const tiers = draft.pricingTiers.filter((tier) => tier.id !== "");
  const columns = draft.comparison?.columns ?? [];
  const rows = draft.comparison?.rows ?? [];
  const fault = useFaultsIn("comparison.rows");
  const put = (part: Partial<NonNullable<Draft["comparison"]>>) => {
    const next = { columns: columns.length > 0 ? columns : tiers.map((tier) => tier.id), rows, ...part };
    set({ comparison: next.rows.length === 0 ? null : next });
  };
  const missing = tiers.filter((tier) => rows.length > 0 && !columns.includes(tier.id));
  return (
    <Section title={t("shop.editor.comparison")}>
      {fault.error && <p className="fault">{fault.error}</p>}
      <Entries
        items={rows}
        onChange={(next) => put({ rows: next })}
        make={(): Row => ({ feature: "", values: {} })}
        add={t("shop.editor.addRow")}
        name={(row, i) => row.feature || t("shop.editor.row", { n: i + 1 })}>
        {(row, change, i) => (
          <RowFields
            at={`comparison.rows[${i}]`}
            row={row}
            change={change}
            tiers={tiers.filter((tier) => columns.includes(tier.id))}
          />
        )}
      </Entries>
      {missing.map((tier) => (
        <div key={tier.id}>
          <Button size="xs" onClick={() => put({ columns: [...columns, tier.id] })}>
            {t("shop.editor.addColumn", { tier: tier.name || tier.id })}
          </Button>
        </div>
      ))}
    </Section>
  );
};

const RowFields = ({
  at,
  row,
  change,
  tiers,
}: {
  at: string;
  row: Row;
  change: (part: Partial<Row>) => void;
  tiers: Tier[];
}) => {
  const yes = t("shop.editor.yes"),
    no = t("shop.editor.no");
  const shown = (value: boolean | string | undefined) =>
    value === true ? yes : value === undefined || value === false ? no : value;
  const put = (id: string, text: string) =>
    change({ values: { ...row.values, [id]: text === yes ? true : text === no ? false : text } });
  return (
    <>
      <TextInput
        label={t("shop.editor.compared")}
        required
        maxLength={200}
        value={row.feature}
        onChange={(e) => change({ feature: e.currentTarget.value })}
        {...useFault(`${at}.feature`)}
      />
      <div className="pair">
        {tiers.map((tier) => (
          <Autocomplete
            key={tier.id}
            label={tier.name || tier.id}
            data={[yes, no]}
            filter={({ options }) => options}
            maxLength={200}
            value={shown(row.values[tier.id])}
            onChange={(text) => put(tier.id, text)}
          />
        ))}
      </div>
    </>
  );
};
