// The settings about sign-in as a form. What the operator fixed is shown with the variable that does.
import { Button, Select } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { api, data } from "../../api/client";
import { ErrorNote } from "../kit/ErrorNote";
import { NumberField } from "../kit/NumberField";
import { Section } from "../kit/Page";
import { tell } from "../kit/toast";
import { onRetry, useBase, useTyped } from "../kit/useBase";
import { useFaults } from "../kit/useFaults";
import { t } from "../text";
import { choices, isDuration, key, rows, say, sent, typed, type Row, type SignIn } from "./signIn";

interface Loaded {
  value: SignIn;
  etag: string;
}

type Draft = Record<Row, string | number>;

export const SignInForm = ({ latest }: { latest: Loaded }) => {
  const queries = useQueryClient();
  const { base, setTyped, settle } = useBase(latest);
  const again = () => queries.invalidateQueries({ queryKey: key }).then(settle);
  return <Form key={base.etag} base={base} onTyped={setTyped} again={again} />;
};

interface FormProps {
  base: Loaded;
  onTyped: (typed: boolean) => void;
  again: () => Promise<void>;
}

const Form = ({ base: { value: settings, etag }, onTyped, again }: FormProps) => {
  const before = Object.fromEntries(rows.map((row) => [row, typed(settings, row)])) as Draft;
  const [draft, setDraft] = useState(before);
  const changed = rows.filter((row) => draft[row] !== before[row]);
  useTyped(changed.length > 0, onTyped);
  const save = useMutation({
    mutationFn: () =>
      data(
        api.PATCH("/api/v1/admin/sign-in-settings", {
          params: { header: { "If-Match": etag } },
          body: Object.fromEntries(changed.map((row) => [row, sent(row, draft[row])])),
        }),
      ),
    onSuccess: async () => {
      await again();
      tell(t("settings.signIn.saved"));
    },
  });
  const { issues, at } = useFaults(save.error, draft);
  const submit = (e: FormEvent) => {
    e.preventDefault();
    save.mutate();
  };
  return (
    <Section title={t("settings.signIn.rules")}>
      <form className="form" onSubmit={submit} noValidate>
        {rows.map((row) => (
          <Field
            key={row}
            row={row}
            settings={settings}
            value={draft[row]}
            error={at(row)}
            onChange={(value) => setDraft((now) => ({ ...now, [row]: value }))}
          />
        ))}
        {save.isError && issues.length === 0 && (
          <ErrorNote error={save.error} retry={onRetry(save.error, save.mutate, again)} />
        )}
        <div className="row">
          <Button type="submit" variant="filled" loading={save.isPending}>
            {t("settings.signIn.save")}
          </Button>
        </div>
      </form>
    </Section>
  );
};

interface FieldProps {
  row: Row;
  settings: SignIn;
  value: string | number;
  error: string | undefined;
  onChange: (value: string | number) => void;
}

const Field = ({ row, settings, value, error, onChange }: FieldProps) => {
  const { changeable, variable, value: holds, default: usual } = settings[row];
  const label = t(`settings.signIn.rows.${row}`);
  const how = t(`settings.signIn.how.${row}`);
  if (!changeable) {
    return (
      <div style={{ display: "grid", gap: 2 }}>
        <span className="mantine-InputWrapper-label">{label}</span>
        <span className="soft small">{how}</span>
        <strong>{say(row, holds)}</strong>
        <span className="soft small">
          {t("settings.signIn.fixed")} <code>{variable}</code>
        </span>
      </div>
    );
  }
  const unless = t("settings.signIn.usual", { value: say(row, usual) });
  const common = { label, description: how, error };
  return isDuration(row) ? (
    <NumberField {...common} decimals={2} placeholder={unless} value={value} onChange={onChange} />
  ) : (
    <Select
      {...common}
      value={String(value)}
      data={[
        { value: "", label: unless },
        ...choices[row].map((one) => ({
          value: one,
          label: say(row, one),
          disabled: one === "passkey" && !settings.passkeys.available,
        })),
      ]}
      allowDeselect={false}
      onChange={(one) => onChange(one ?? "")}
    />
  );
};
