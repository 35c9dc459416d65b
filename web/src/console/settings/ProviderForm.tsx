// The form of an identity provider. Its secret goes in and never comes out.
import { Button, Checkbox, PasswordInput, Select, Switch, TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { ErrorNote } from "../kit/ErrorNote";
import { useTyped } from "../kit/useBase";
import { useFaults } from "../kit/useFaults";
import { c, t } from "../text";
import type { Form } from "./providers";

const kinds = ["google", "github", "oidc"] as const;
const flags = ["signUp", "staff"] as const;
const words = (text: string) => text.split(/[\s,]+/).filter(Boolean);
const ignore = () => undefined;

interface ProviderFormProps {
  before: Form;
  hasSecret: boolean;
  action: string;
  pending: boolean;
  error: unknown;
  onTyped?: (typed: boolean) => void;
  onSave: (form: Form) => void;
}

export const ProviderForm = ({
  before,
  hasSecret,
  action,
  pending,
  error,
  onTyped = ignore,
  onSave,
}: ProviderFormProps) => {
  const [form, setForm] = useState(before);
  const [secret, setSecret] = useState("");
  const [drop, setDrop] = useState(false);
  const [scopes, setScopes] = useState(before.scopes.join(" "));
  const [domains, setDomains] = useState(before.allowedDomains.join(", "));
  const set = (change: Partial<Form>) => setForm((now) => ({ ...now, ...change }));
  const all: Form = {
    ...form,
    verifiesAddresses: form.kind === "oidc" && form.verifiesAddresses,
    scopes: words(scopes),
    allowedDomains: words(domains),
    ...(secret ? { clientSecret: secret } : drop ? { clientSecret: "" } : {}),
  };
  useTyped(JSON.stringify(all) !== JSON.stringify(before), onTyped);
  const { issues, at } = useFaults(error, all as unknown as Record<string, unknown>);
  const submit = (e: FormEvent) => {
    e.preventDefault();
    onSave(all);
  };
  const text = (name: "name" | "issuer" | "clientId") => (
    <TextInput
      label={t(`settings.providers.${name}`)}
      description={t(`settings.providers.${name}How`)}
      required
      value={form[name]}
      error={at(name)}
      onChange={(e) => set({ [name]: e.currentTarget.value })}
    />
  );
  return (
    <form className="form" onSubmit={submit} noValidate>
      <Select
        label={t("settings.providers.kind")}
        value={form.kind}
        error={at("kind")}
        data={kinds.map((kind) => ({ value: kind, label: t(`settings.providers.kinds.${kind}`) }))}
        allowDeselect={false}
        onChange={(kind) => set({ kind: kind as Form["kind"], issuer: "" })}
      />
      {text("name")}
      {form.kind === "oidc" && text("issuer")}
      {text("clientId")}
      <PasswordInput
        label={t("settings.providers.secret")}
        description={t(hasSecret ? "settings.providers.secretSet" : "settings.providers.secretNone")}
        autoComplete="off"
        visibilityToggleButtonProps={{ "aria-label": c("showPassword") }}
        value={secret}
        disabled={drop}
        error={at("clientSecret")}
        onChange={(e) => setSecret(e.currentTarget.value)}
      />
      {hasSecret && (
        <Checkbox
          label={t("settings.providers.secretDrop")}
          checked={drop}
          onChange={(e) => {
            setDrop(e.currentTarget.checked);
            setSecret("");
          }}
        />
      )}
      <TextInput
        label={t("settings.providers.scopes")}
        description={t("settings.providers.scopesHow")}
        value={scopes}
        error={at("scopes")}
        onChange={(e) => setScopes(e.currentTarget.value)}
      />
      <TextInput
        label={t("settings.providers.domains")}
        description={t("settings.providers.domainsHow")}
        value={domains}
        error={at("allowedDomains")}
        onChange={(e) => setDomains(e.currentTarget.value)}
      />
      {[...flags, ...(form.kind === "oidc" ? (["verifiesAddresses"] as const) : [])].map((name) => (
        <Switch
          key={name}
          label={t(`settings.providers.${name}`)}
          description={t(`settings.providers.${name}How`)}
          checked={form[name]}
          error={at(name)}
          onChange={(e) => set({ [name]: e.currentTarget.checked })}
        />
      ))}
      {Boolean(error) && issues.length === 0 && <ErrorNote error={error} />}
      <div className="row">
        <Button type="submit" variant="filled" loading={pending}>
          {action}
        </Button>
      </div>
    </form>
  );
};
