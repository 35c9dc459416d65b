// The fields of a product, in the order in which a buyer meets them.
import { Autocomplete, Checkbox, Textarea, TextInput } from "@mantine/core";
import { NumberField } from "../../kit/NumberField";
import { Section } from "../../kit/Page";
import { t } from "../../text";
import { slugOf, type Draft } from "./draft";
import { Entries } from "./Entries";
import { useFault, useFaultsIn } from "./faults";
import { useCategories } from "./ProductsPage";

export interface FieldsProps {
  draft: Draft;
  set: (part: Partial<Draft>) => void;
}

export const Basics = ({ draft, set, fresh }: FieldsProps & { fresh: boolean }) => {
  const named = draft.slug === slugOf(draft.name); // the slug follows the name until it is written by hand
  return (
    <Section title={t("shop.editor.basics")}>
      <TextInput
        label={t("shop.products.name")}
        required
        maxLength={200}
        value={draft.name}
        {...useFault("name")}
        onChange={(e) =>
          set({ name: e.currentTarget.value, ...(fresh && named ? { slug: slugOf(e.currentTarget.value) } : {}) })
        }
      />
      {fresh && (
        <TextInput
          label={t("shop.editor.slug")}
          description={t("shop.editor.slugHow", { slug: draft.slug || t("shop.editor.slugEmpty") })}
          required
          maxLength={100}
          value={draft.slug}
          onChange={(e) => set({ slug: e.currentTarget.value })}
          {...useFault("slug")}
        />
      )}
      <TextInput
        label={t("shop.editor.tagline")}
        description={t("shop.editor.taglineHow")}
        required
        maxLength={200}
        value={draft.shortDescription}
        onChange={(e) => set({ shortDescription: e.currentTarget.value })}
        {...useFault("shortDescription")}
      />
      <Autocomplete
        label={t("shop.products.category")}
        required
        maxLength={200}
        data={useCategories()}
        value={draft.category}
        onChange={(category) => set({ category })}
        {...useFault("category")}
      />
      <Textarea
        label={t("shop.editor.description")}
        description={t("shop.editor.descriptionHow")}
        required
        autosize
        minRows={2}
        maxRows={10}
        maxLength={2000}
        value={draft.description}
        onChange={(e) => set({ description: e.currentTarget.value })}
        {...useFault("description")}
      />
      <Textarea
        label={t("shop.editor.full")}
        description={t("shop.editor.fullHow")}
        autosize
        minRows={3}
        maxRows={16}
        maxLength={50_000}
        value={draft.fullDescription}
        onChange={(e) => set({ fullDescription: e.currentTarget.value })}
        {...useFault("fullDescription")}
      />
    </Section>
  );
};

// Lines is a list of short texts, one a line.
export const Lines = ({
  label,
  path,
  value,
  onChange,
}: {
  label: string;
  path: string;
  value: string[];
  onChange: (lines: string[]) => void;
}) => (
  <Textarea
    label={label}
    description={t("shop.oneALine")}
    autosize
    minRows={2}
    maxRows={12}
    value={value.join("\n")}
    onChange={(e) => onChange(e.currentTarget.value === "" ? [] : e.currentTarget.value.split("\n"))}
    {...useFaultsIn(path)}
  />
);

export const Features = ({ draft, set }: FieldsProps) => (
  <Section title={t("shop.editor.features")}>
    <Lines
      label={t("shop.editor.highlights")}
      path="highlights"
      value={draft.highlights}
      onChange={(highlights) => set({ highlights })}
    />
    <Entries
      items={draft.features}
      onChange={(features) => set({ features })}
      make={() => ({ title: "", description: "", items: [] })}
      add={t("shop.editor.addFeature")}
      name={(f, i) => f.title || t("shop.editor.feature", { n: i + 1 })}>
      {(f, change, i) => <FeatureFields at={`features[${i}]`} feature={f} change={change} />}
    </Entries>
  </Section>
);

const FeatureFields = ({
  at,
  feature,
  change,
}: {
  at: string;
  feature: Draft["features"][number];
  change: (part: Partial<Draft["features"][number]>) => void;
}) => (
  <>
    <TextInput
      label={t("shop.editor.title")}
      required
      maxLength={200}
      value={feature.title}
      onChange={(e) => change({ title: e.currentTarget.value })}
      {...useFault(`${at}.title`)}
    />
    <Textarea
      label={t("shop.editor.text")}
      autosize
      minRows={1}
      maxRows={6}
      value={feature.description}
      onChange={(e) => change({ description: e.currentTarget.value })}
      {...useFault(`${at}.description`)}
    />
    <Lines
      label={t("shop.editor.items")}
      path={`${at}.items`}
      value={feature.items}
      onChange={(items) => change({ items })}
    />
  </>
);

export const Questions = ({ draft, set }: FieldsProps) => (
  <Section title={t("shop.editor.faq")}>
    <Entries
      items={draft.faq}
      onChange={(faq) => set({ faq })}
      make={() => ({ question: "", answer: "" })}
      add={t("shop.editor.addQuestion")}
      name={(q, i) => q.question || t("shop.editor.questionN", { n: i + 1 })}>
      {(q, change, i) => <QuestionFields at={`faq[${i}]`} entry={q} change={change} />}
    </Entries>
  </Section>
);

const QuestionFields = ({
  at,
  entry,
  change,
}: {
  at: string;
  entry: Draft["faq"][number];
  change: (part: Partial<Draft["faq"][number]>) => void;
}) => (
  <>
    <TextInput
      label={t("shop.editor.question")}
      required
      maxLength={200}
      value={entry.question}
      onChange={(e) => change({ question: e.currentTarget.value })}
      {...useFault(`${at}.question`)}
    />
    <Textarea
      label={t("shop.editor.answer")}
      required
      autosize
      minRows={2}
      maxRows={8}
      maxLength={2000}
      value={entry.answer}
      onChange={(e) => change({ answer: e.currentTarget.value })}
      {...useFault(`${at}.answer`)}
    />
  </>
);

export const Shelf = ({ draft, set }: FieldsProps) => (
  <Section title={t("shop.editor.shelf")}>
    <Checkbox
      label={t("shop.editor.featured")}
      description={t("shop.editor.featuredHow")}
      checked={draft.featured}
      onChange={(e) => set({ featured: e.currentTarget.checked })}
    />
    <Checkbox
      label={t("shop.editor.trending")}
      description={t("shop.editor.trendingHow")}
      checked={draft.trending}
      onChange={(e) => set({ trending: e.currentTarget.checked })}
    />
    <NumberField
      label={t("shop.editor.position")}
      description={t("shop.editor.positionHow")}
      signed
      value={draft.position}
      onChange={(position) => set({ position })}
      w={160}
      {...useFault("position")}
    />
    <NumberField
      label={t("shop.editor.refundDays")}
      description={t("shop.editor.refundDaysHow")}
      value={draft.refundDays}
      onChange={(refundDays) => set({ refundDays })}
      w={160}
      {...useFault("refundDays")}
    />
  </Section>
);
