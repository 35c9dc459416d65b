// The words of a mail, in one language at a time.
import { Button, Select, Textarea, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState, type FormEvent } from "react";
import { api, data, ok, type Schemas } from "../../../api/client";
import { Confirm } from "../../kit/Confirm";
import { ErrorNote, ErrorPage, isUnread } from "../../kit/ErrorNote";
import { Locked } from "../../kit/may";
import { Page, Section } from "../../kit/Page";
import { Pending } from "../../kit/Pending";
import { tell } from "../../kit/toast";
import { useFaults } from "../../kit/useFaults";
import { language } from "../../../text";
import { t } from "../../text";
import { languageName, languages } from "./languages";

type Words = Schemas["MailWords"];
type Form = Pick<Words, "subject" | "text">;

// Mails about accounts decide whom users trust.
const guarded: readonly string[] = ["claim", "password_reset", "password_changed"];

const none: Partial<Form> = {};

// without is what was typed and is not saved: a field that was typed on since stays.
const without = (saved: Partial<Form>, typed: Partial<Form> = none): Partial<Form> =>
  Object.fromEntries(Object.entries(typed).filter(([name, value]) => value !== saved[name as keyof Form]));

const first = languages.find((tag) => tag === language) ?? "en";

export const MailPage = () => {
  const { kind = "" } = useParams({ strict: false }) as { kind?: string };
  const [lang, setLang] = useState<string>(first);
  const [typed, setTyped] = useState<Record<string, Partial<Form>>>({}); // in each language, until it is saved
  const query = useQuery({
    queryKey: ["mails", kind, lang],
    queryFn: async () => {
      const path = { kind, lang };
      const [words, { items }] = await Promise.all([
        data(api.GET("/api/v1/admin/mail-templates/{kind}/{lang}", { params: { path } })),
        data(api.GET("/api/v1/admin/mail-templates")),
      ]);
      return { words, variables: items.find((m) => m.kind === kind)?.variables ?? [] };
    },
  });
  if (isUnread(query)) return <ErrorPage error={query.error} />;
  if (!query.data) return <Pending />;
  const { words, variables } = query.data;
  return (
    <Page
      title={t(`shop.mails.kinds.${words.kind}`)}
      above={[{ title: t("shop.nav.mails"), to: "/shop/mails" }]}
      actions={
        <Select
          aria-label={t("shop.mails.language")}
          allowDeselect={false}
          data={languages.map((value) => ({ value, label: languageName(value) }))}
          value={lang}
          onChange={(tag) => setLang(tag ?? "en")}
          w={160}
        />
      }>
      {words.broken && <p className="note">{t("shop.mails.brokenHow")}</p>}
      <Section title={t(words.builtIn ? "shop.mails.came" : "shop.mails.yours")}>
        <Locked needs={guarded.includes(words.kind) ? "settings:write" : "templates:write"}>
          <Editor
            key={`${lang} ${words.updatedAt ?? ""}`}
            words={words}
            typed={typed[lang] ?? none}
            onTyped={(field) => setTyped((now) => ({ ...now, [lang]: { ...now[lang], ...field } }))}
            onSaved={(form) => setTyped((now) => ({ ...now, [lang]: without(form, now[lang]) }))}
            variables={variables}
          />
        </Locked>
      </Section>
    </Page>
  );
};

interface EditorProps {
  words: Words;
  typed: Partial<Form>;
  onTyped: (field: Partial<Form>) => void;
  onSaved: (form: Partial<Form>) => void;
  variables: Schemas["MailKind"]["variables"];
}

const Editor = ({ words, typed, onTyped, onSaved, variables }: EditorProps) => {
  const path = { kind: words.kind, lang: words.language };
  const v = { subject: words.subject, text: words.text, ...typed };
  const cache = useQueryClient();
  const again = () => cache.invalidateQueries({ queryKey: ["mails"] });
  const save = useMutation({
    mutationFn: (body: Form) => ok(api.PUT("/api/v1/admin/mail-templates/{kind}/{lang}", { params: { path }, body })),
    onSuccess: async (_, body) => {
      tell(t("shop.mails.saved"));
      await again();
      onSaved(body);
    },
  });
  const preview = useMutation({
    mutationFn: (body: Form) =>
      data(api.POST("/api/v1/admin/mail-templates/{kind}/{lang}/preview", { params: { path }, body })),
  });
  const test = useMutation({
    mutationFn: (body: Form) =>
      ok(api.POST("/api/v1/admin/mail-templates/{kind}/{lang}/test", { params: { path }, body })),
    onSuccess: () => tell(t("shop.mails.tested")),
  });
  const error = save.error ?? preview.error ?? test.error;
  const { at } = useFaults(error, v);
  // One answer at a time: that of what was asked last.
  const ask = (one: typeof save | typeof preview | typeof test) => {
    [save, preview, test].forEach((other) => other !== one && other.reset());
    one.mutate(v);
  };
  const submit = (e: FormEvent) => {
    e.preventDefault();
    ask(save);
  };
  return (
    <form className="form" onSubmit={submit} noValidate>
      <TextInput
        label={t("shop.mails.subject")}
        required
        maxLength={200}
        value={v.subject}
        error={at("subject")}
        onChange={(e) => onTyped({ subject: e.currentTarget.value })}
      />
      <Textarea
        label={t("shop.mails.text")}
        description={t("shop.mails.textHow")}
        required
        autosize
        minRows={8}
        maxRows={30}
        styles={{ input: { fontFamily: "var(--mono)" } }}
        value={v.text}
        error={at("text")}
        onChange={(e) => onTyped({ text: e.currentTarget.value })}
      />
      <Variables variables={variables} />
      {error && <ErrorNote error={error} />}
      <div className="row">
        <Button type="submit" loading={save.isPending}>
          {t("shop.mails.save")}
        </Button>
        <Button variant="default" onClick={() => ask(preview)} loading={preview.isPending}>
          {t("shop.mails.preview")}
        </Button>
        <Button variant="default" onClick={() => ask(test)} loading={test.isPending}>
          {t("shop.mails.test")}
        </Button>
        {!words.builtIn && <Reset path={path} again={() => again().then(() => onSaved(typed))} />}
      </div>
      {preview.data && (
        <section aria-label={t("shop.mails.previewed")}>
          <h3>{preview.data.subject}</h3>
          <pre className="mono">{preview.data.text}</pre>
        </section>
      )}
    </form>
  );
};

const Variables = ({ variables }: Pick<EditorProps, "variables">) => (
  <details>
    <summary>{t("shop.mails.variables")}</summary>
    <dl>
      {variables.map(({ name, example }) => (
        <div key={name} className="row">
          <dt className="mono">{`{{${name}}}`}</dt>
          <dd className="soft">{example}</dd>
        </div>
      ))}
    </dl>
  </details>
);

const Reset = ({ path, again }: { path: { kind: string; lang: string }; again: () => Promise<unknown> }) => {
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Button data-danger onClick={() => setAsking(true)}>
        {t("shop.mails.reset")}
      </Button>
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        title={t("shop.mails.resetTitle")}
        effects={[t("shop.mails.resetEffect")]}
        action={t("shop.mails.reset")}
        done={t("shop.mails.isReset")}
        run={async () => {
          await ok(api.DELETE("/api/v1/admin/mail-templates/{kind}/{lang}", { params: { path } }));
          void again();
        }}
      />
    </>
  );
};
