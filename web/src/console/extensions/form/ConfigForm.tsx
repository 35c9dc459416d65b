// A form made from a configSchema. Every fault stands at its field, the server's too; what
// the form has no control for is edited as JSON.
import { Button, Switch } from "@mantine/core";
import { useEffect, useState, type FormEvent, type ReactNode } from "react";
import { asProblem, type Issue } from "../../../api/problem";
import { inOne } from "../../../text/refusal";
import { useFaults } from "../../kit/useFaults";
import { ErrorNote } from "../../kit/ErrorNote";
import { faultWords } from "../../refusals";
import { t } from "../../text";
import { isSecret, type Field, type Schema } from "../manifest";
import { Fields } from "./Fields";
import { JsonField } from "./JsonField";
import { configOf, draftOf, missing, type Draft, type Values } from "./model";
import { SecretField } from "./SecretField";

interface ConfigFormProps {
  schema: Schema;
  config: Values | null;
  // Whether each secret field has a value.
  configured: Record<string, boolean>;
  // Whether required fields have to be there already: a disabled instance may be incomplete.
  complete: boolean;
  submit: string;
  error: unknown;
  pending: boolean;
  onSubmit: (config: Values) => void;
  // Told what the fields hold while they are edited; no secrets.
  onEdit?: (values: Values) => void;
  // What stands between the fields and the buttons.
  children?: ReactNode;
  // Where the form has no fields.
  none?: string;
}

export const ConfigForm = (props: ConfigFormProps) => {
  const { schema, config, configured, complete, submit, error, pending, onSubmit, onEdit, children, none } = props;
  const [draft, setDraft] = useState<Draft>(() => draftOf(schema, config));
  const [asJson, setAsJson] = useState(false);
  const [broken, setBroken] = useState<ReadonlySet<string>>(new Set()); // fields whose JSON cannot be read
  const [asked, setAsked] = useState<string[]>([]); // required fields that were empty
  const empty = missing(schema, draft.values, configured, draft.secrets);
  const { at: placed, others } = faultsOf(
    error,
    asked.filter((path) => empty.includes(path)),
  );
  const { unchanged } = useFaults(error, { ...draft.values, ...draft.secrets });
  const at = Object.fromEntries(
    Object.entries(placed).filter(([path]) => empty.includes(path) || unchanged(path.split(/[.[]/)[0] ?? "")),
  );
  useEffect(() => {
    onEdit?.(draft.values);
  }, [draft.values, onEdit]);
  const send = (e: FormEvent<HTMLFormElement>) => {
    e.preventDefault();
    setAsked(complete ? empty : []);
    const first = (complete ? empty[0] : undefined) ?? [...broken][0];
    if (first !== undefined) focusField(e.currentTarget, first);
    else onSubmit(configOf(schema, draft, configured));
  };
  const markJson = (path: string, ok: boolean) =>
    setBroken((now) => {
      if (now.has(path) === !ok) return now;
      const next = new Set(now);
      if (ok) next.delete(path);
      else next.add(path);
      return next;
    });
  const secrets = Object.entries(schema).filter(([, field]) => isSecret(field));
  const secretField = (name: string, field: Field) => (
    <SecretField
      key={name}
      name={name}
      field={field}
      configured={configured[name] ?? false}
      value={draft.secrets[name] ?? { kind: "keep" }}
      error={at[name]}
      onChange={(secret) => setDraft({ ...draft, secrets: { ...draft.secrets, [name]: secret } })}
    />
  );
  const hasOthers = Object.keys(schema).length > secrets.length || Object.keys(draft.values).length > 0;
  return (
    <form className="form" onSubmit={send} noValidate>
      {!hasOthers && secrets.length === 0 && (
        <p className="soft" style={{ margin: 0 }}>
          {none ?? t("plugins.form.none")}
        </p>
      )}
      {asJson ? (
        <JsonField
          id="*"
          label={t("plugins.form.json")}
          description={t("plugins.form.jsonHow")}
          value={draft.values}
          rows={14}
          error={at["*"]}
          onChange={(values) => setDraft({ ...draft, values: values as Values })}
          onValid={(ok) => markJson("*", ok)}
          objectOnly
        />
      ) : (
        <Fields
          schema={schema}
          values={draft.values}
          at=""
          faults={at}
          onChange={(values) => setDraft({ ...draft, values })}
          onValid={markJson}
          secret={secretField}
        />
      )}
      {asJson && secrets.map(([name, field]) => secretField(name, field))}
      <Switch
        label={t("plugins.form.asJson")}
        checked={asJson}
        disabled={asJson && broken.size > 0}
        onChange={(e) => {
          setAsJson(e.currentTarget.checked);
          setBroken(new Set());
        }}
      />
      {children}
      {error !== null && error !== undefined && others && <ErrorNote error={error} />}
      <div className="row">
        <Button type="submit" variant="filled" loading={pending}>
          {submit}
        </Button>
      </div>
    </form>
  );
};

// faultsOf puts each fault at its field. others says whether some have none.
const faultsOf = (error: unknown, asked: string[]): { at: Record<string, string>; others: boolean } => {
  const at: Record<string, string> = {};
  for (const path of asked) at[path] = t("plugins.form.required");
  if (error === null || error === undefined) return { at, others: false };
  const issues = asProblem(error).issues;
  const placed = issues.filter((issue) => place(issue) !== undefined);
  for (const issue of placed) at[place(issue) as string] ??= inOne(faultWords(issue, issue.message));
  return { at, others: placed.length < issues.length || issues.length === 0 };
};

const place = (issue: Issue): string | undefined =>
  issue.path?.startsWith("config.") ? issue.path.slice("config.".length) : undefined;

const focusField = (form: HTMLFormElement, path: string) => {
  const field = form.querySelector<HTMLElement>(`[data-path="${CSS.escape(path)}"]`);
  (field?.matches("input,textarea,select,button")
    ? field
    : field?.querySelector<HTMLElement>("input,textarea,button")
  )?.focus();
};
