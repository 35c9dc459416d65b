// What a product says in other languages: each text beside the original.
import { ActionIcon, Autocomplete, Button, Textarea, TextInput } from "@mantine/core";
import { IconPlus, IconTrash } from "../../kit/icons";
import { useContext, useState, type ReactNode } from "react";
import { Section } from "../../kit/Page";
import { t } from "../../text";
import { languageName, languages } from "../mails/languages";
import type { Draft } from "./draft";
import { Faults, useFault, useFaultsIn } from "./faults";
import { Lines, type FieldsProps } from "./fields";
import { wordsOf, type Words } from "./translated";

export const Languages = ({ draft, set }: FieldsProps) => {
  const [added, setAdded] = useState("");
  const put = (translations: Draft["translations"]) => set({ translations });
  return (
    <Section title={t("shop.editor.languages.title")}>
      <p className="soft">{t("shop.editor.languages.how")}</p>
      {Object.entries(draft.translations).map(([tag, words]) => (
        <Language
          key={tag}
          tag={tag}
          draft={draft}
          words={words}
          open={tag === added}
          change={(part) => put({ ...draft.translations, [tag]: { ...words, ...part } })}
          remove={() => {
            const { [tag]: _, ...rest } = draft.translations;
            put(rest);
          }}
        />
      ))}
      <Add
        taken={Object.keys(draft.translations)}
        add={(tag) => {
          setAdded(tag);
          put({ ...draft.translations, [tag]: wordsOf(draft) });
        }}
      />
    </Section>
  );
};

// canonical is a tag as it is stored, or nothing if it is none. The server knows which languages there are.
const canonical = (tag: string): string => {
  try {
    return Intl.getCanonicalLocales(tag.trim())[0] ?? "";
  } catch {
    return "";
  }
};

const Add = ({ taken, add }: { taken: string[]; add: (tag: string) => void }) => {
  const [typed, setTyped] = useState("");
  const [fault, setFault] = useState<string>();
  const run = () => {
    const tag = canonical(typed);
    if (tag === "") return setFault(t("shop.editor.languages.wrong"));
    if (taken.includes(tag)) return setFault(t("shop.editor.languages.twice", { language: languageName(tag) }));
    setTyped("");
    add(tag);
  };
  return (
    <div className="add-language">
      <Autocomplete
        label={t("shop.editor.languages.tag")}
        description={t("shop.editor.languages.tagHow")}
        maxLength={35}
        data={languages.filter((tag) => !taken.includes(tag))}
        renderOption={({ option }) => `${languageName(option.value)} (${option.value})`}
        value={typed}
        error={fault}
        onChange={(value) => {
          setTyped(value);
          setFault(undefined);
        }}
      />
      <Button size="xs" leftSection={<IconPlus size={14} stroke={1.5} aria-hidden />} onClick={run}>
        {t("shop.editor.languages.add")}
      </Button>
    </div>
  );
};

interface LanguageProps {
  tag: string;
  draft: Draft;
  words: Words;
  open: boolean;
  change: (part: Partial<Words>) => void;
  remove: () => void;
}

const Language = ({ tag, draft, words, open, change, remove }: LanguageProps) => {
  const at = `translations.${tag}`;
  const fault = useFault(at);
  const faulty = useContext(Faults).some(({ path = "" }) => path.startsWith(`${at}.`)); // what is marked must be seen
  const name = languageName(tag);
  return (
    <details className="language" open={open || faulty || undefined}>
      <summary>
        {name} <span className="soft">{tag}</span>
      </summary>
      <div className="language-tools">
        <ActionIcon size={24} aria-label={t("shop.entry.remove", { title: name })} onClick={remove}>
          <IconTrash size={14} stroke={1.5} />
        </ActionIcon>
      </div>
      {fault.error && <p className="fault">{fault.error}</p>}
      <div className="language-fields" lang={tag}>
        <Own at={at} draft={draft} words={words} change={change} />
        <OwnFeatures at={at} draft={draft} words={words} change={change} />
        <OwnTiers at={at} draft={draft} words={words} change={change} />
        <OwnRows at={at} draft={draft} words={words} change={change} />
        <OwnQuestions at={at} draft={draft} words={words} change={change} />
      </div>
    </details>
  );
};

interface PartProps {
  at: string;
  draft: Draft;
  words: Words;
  change: (part: Partial<Words>) => void;
}

// Beside shows a field with the original, where there is one to translate.
const Beside = ({ original, children }: { original: string; children: ReactNode }) =>
  original.trim() !== "" && (
    <div className="beside">
      <p className="original" lang="" tabIndex={original.length > 300 ? 0 : undefined}>
        <span className="sr">{t("shop.editor.languages.original")} </span>
        {original}
      </p>
      {children}
    </div>
  );

interface TextProps {
  label: string;
  path: string;
  original: string;
  limit: number;
  value: string;
  onChange: (text: string) => void;
}

// Text is a text beside the original: of one line up to 200 characters.
const Text = ({ label, path, original, limit, value, onChange }: TextProps) => {
  const fault = useFault(path);
  return (
    <Beside original={original}>
      {limit <= 200 ? (
        <TextInput
          label={label}
          maxLength={limit}
          value={value}
          onChange={(e) => onChange(e.currentTarget.value)}
          {...fault}
        />
      ) : (
        <Textarea
          label={label}
          autosize
          minRows={2}
          maxRows={16}
          maxLength={limit}
          value={value}
          onChange={(e) => onChange(e.currentTarget.value)}
          {...fault}
        />
      )}
    </Beside>
  );
};

const List = ({ original, ...rest }: { original: string[] } & Parameters<typeof Lines>[0]) => (
  <Beside original={original.join("\n")}>
    <Lines {...rest} />
  </Beside>
);

const Own = ({ at, draft, words, change }: PartProps) => {
  const text = (
    name: "name" | "shortDescription" | "description" | "fullDescription",
    label: string,
    limit: number,
  ) => (
    <Text
      label={label}
      path={`${at}.${name}`}
      original={draft[name]}
      limit={limit}
      value={words[name]}
      onChange={(value) => change({ [name]: value })}
    />
  );
  return (
    <>
      {text("name", t("shop.products.name"), 200)}
      {text("shortDescription", t("shop.editor.tagline"), 200)}
      {text("description", t("shop.editor.description"), 2000)}
      {text("fullDescription", t("shop.editor.full"), 50_000)}
      <List
        label={t("shop.editor.highlights")}
        path={`${at}.highlights`}
        original={draft.highlights}
        value={words.highlights}
        onChange={(highlights) => change({ highlights })}
      />
    </>
  );
};

// put is a list with a part of one entry changed.
const put = <T,>(list: T[], at: number, part: Partial<T>): T[] =>
  list.map((entry, i) => (i === at ? { ...entry, ...part } : entry));

const OwnFeatures = ({ at, draft, words, change }: PartProps) =>
  words.features.map((feature, i) => {
    const original = draft.features[i];
    const set = (part: Partial<typeof feature>) => change({ features: put(words.features, i, part) });
    return (
      <Group key={i} title={original?.title || t("shop.editor.feature", { n: i + 1 })}>
        <Text
          label={t("shop.editor.title")}
          path={`${at}.features[${i}].title`}
          original={original?.title ?? feature.title}
          limit={200}
          value={feature.title}
          onChange={(title) => set({ title })}
        />
        <Text
          label={t("shop.editor.text")}
          path={`${at}.features[${i}].description`}
          original={original?.description ?? feature.description}
          limit={2000}
          value={feature.description}
          onChange={(description) => set({ description })}
        />
        <List
          label={t("shop.editor.items")}
          path={`${at}.features[${i}].items`}
          original={original?.items ?? feature.items}
          value={feature.items}
          onChange={(items) => set({ items })}
        />
      </Group>
    );
  });

const OwnTiers = ({ at, draft, words, change }: PartProps) =>
  draft.pricingTiers.map((tier, i) => {
    const own = words.tiers[i];
    if (!own || tier.id === "") return null;
    const path = `${at}.tiers.${tier.id}`;
    const set = (part: Partial<typeof own>) => change({ tiers: put(words.tiers, i, part) });
    return (
      <Group key={i} title={tier.name || t("shop.editor.tier", { n: i + 1 })}>
        <Text
          label={t("shop.products.name")}
          path={`${path}.name`}
          original={tier.name}
          limit={200}
          value={own.name}
          onChange={(name) => set({ name })}
        />
        <Text
          label={t("shop.editor.text")}
          path={`${path}.description`}
          original={tier.description}
          limit={2000}
          value={own.description}
          onChange={(description) => set({ description })}
        />
        <List
          label={t("shop.editor.tierFeatures")}
          path={`${path}.features`}
          original={tier.features}
          value={own.features}
          onChange={(features) => set({ features })}
        />
      </Group>
    );
  });

const OwnRows = ({ at, draft, words, change }: PartProps) => {
  const fault = useFaultsIn(`${at}.comparison`);
  const rows = draft.comparison?.rows ?? [];
  if (rows.length === 0) return null;
  return (
    <Group title={t("shop.editor.comparison")}>
      {fault.error && <p className="fault">{fault.error}</p>}
      {rows.map((row, i) => {
        const own = words.rows[i];
        if (!own) return null;
        const path = `${at}.comparison.rows[${i}]`;
        const set = (part: Partial<typeof own>) => change({ rows: put(words.rows, i, part) });
        return (
          <div key={i} className="language-row">
            <Text
              label={t("shop.editor.compared")}
              path={`${path}.feature`}
              original={row.feature}
              limit={200}
              value={own.feature}
              onChange={(feature) => set({ feature })}
            />
            {draft.pricingTiers.map(({ id, name }) => {
              const cell = row.values[id];
              return (
                typeof cell === "string" && (
                  <Text
                    key={id}
                    label={name || id}
                    path={`${path}.values.${id}`}
                    original={cell}
                    limit={200}
                    value={own.values[id] ?? ""}
                    onChange={(text) => set({ values: { ...own.values, [id]: text } })}
                  />
                )
              );
            })}
          </div>
        );
      })}
    </Group>
  );
};

const OwnQuestions = ({ at, draft, words, change }: PartProps) =>
  words.faq.map((entry, i) => {
    const original = draft.faq[i];
    const set = (part: Partial<typeof entry>) => change({ faq: put(words.faq, i, part) });
    return (
      <Group key={i} title={original?.question || t("shop.editor.questionN", { n: i + 1 })}>
        <Text
          label={t("shop.editor.question")}
          path={`${at}.faq[${i}].question`}
          original={original?.question ?? entry.question}
          limit={2000}
          value={entry.question}
          onChange={(question) => set({ question })}
        />
        <Text
          label={t("shop.editor.answer")}
          path={`${at}.faq[${i}].answer`}
          original={original?.answer ?? entry.answer}
          limit={2000}
          value={entry.answer}
          onChange={(answer) => set({ answer })}
        />
      </Group>
    );
  });

const Group = ({ title, children }: { title: string; children: ReactNode }) => (
  <fieldset>
    <legend lang="">{title}</legend>
    {children}
  </fieldset>
);
