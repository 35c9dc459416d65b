// What is set for a package: limits, isolation, what its answers may do, environment.
import { Button, Select, Switch } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState, type FormEvent, type ReactNode } from "react";
import { api, ok } from "../../api/client";
import { asProblem } from "../../api/problem";
import { useFaults } from "../kit/useFaults";
import { ErrorNote } from "../kit/ErrorNote";
import { NumberField } from "../kit/NumberField";
import { sent } from "../../text/number";
import { inOne } from "../../text/refusal";
import { Section } from "../kit/Page";
import { tell } from "../kit/toast";
import { useBase, useTyped } from "../kit/useBase";
import { faultWords } from "../refusals";
import { t } from "../text";
import { useRefresh, type Package } from "./data";
import { Environment, type Change } from "./Environment";

type SettingsOf = Package["settings"];
type Draft = Omit<SettingsOf, "environment">;

const logins = ["allowCookies", "allowAuthorization"] as const;
const risky = ["allowCors", "allowSameOrigin"] as const;
const numbers = [
  ["timeoutMs", 30_000],
  ["maxConcurrency", null],
  ["startTimeoutMs", 10_000],
  ["memoryMb", 128],
] as const;
const internalOnly: readonly string[] = ["startTimeoutMs", "memoryMb"];

export const Settings = ({ plugin }: { plugin: Package }) => {
  const { base, setTyped, settle } = useBase({ etag: plugin.updatedAt, settings: plugin.settings });
  return <Form key={base.etag} plugin={plugin} before={base.settings} onTyped={setTyped} settle={settle} />;
};

interface FormProps {
  plugin: Package;
  before: SettingsOf;
  onTyped: (typed: boolean) => void;
  settle: () => void;
}

const Form = ({ plugin, before: { environment, ...settings }, onTyped, settle }: FormProps) => {
  const internal = plugin.runtimeType === "internal-fastify";
  const [draft, setDraft] = useState<Draft>(settings);
  const [env, setEnv] = useState<Change>({});
  const refresh = useRefresh();
  const save = useMutation({
    mutationFn: () =>
      ok(
        api.PATCH("/api/v1/admin/plugins/{slug}", {
          params: { path: { slug: plugin.slug } },
          body: changes(settings, draft, env),
        }),
      ),
    onSuccess: async () => {
      tell(t("plugins.settings.saved", { name: plugin.name }));
      await refresh();
      settle();
    },
  });
  useTyped(Object.keys(changes(settings, draft, env)).length > 0, onTyped);
  const faults = new Map(
    save.isError
      ? asProblem(save.error).issues.map((issue) => [issue.path, inOne(faultWords(issue, issue.message))])
      : [],
  );
  const { at } = useFaults(save.error, { ...draft });
  const error = (name: string) => {
    const message = at(name);
    return message ? { error: message } : {};
  };
  const submit = (e: FormEvent) => {
    e.preventDefault();
    save.mutate();
  };
  return (
    <Section title={t("plugins.settings.title")}>
      <form className="form" onSubmit={submit} noValidate>
        {numbers
          .filter(([name]) => internal || !internalOnly.includes(name))
          .map(([name, usual]) => (
            <NumberField
              key={name}
              label={t(`plugins.settings.${name}`)}
              description={t(`plugins.settings.${name}How`)}
              placeholder={
                usual === null ? t("plugins.settings.noLimit") : t("plugins.settings.usual", { value: usual })
              }
              value={draft[name] ?? ""}
              onChange={(n) => setDraft({ ...draft, [name]: sent(n) ?? null })}
              {...error(name)}
            />
          ))}
        {internal && (
          <>
            <Select
              label={t("plugins.settings.isolation")}
              description={t("plugins.settings.isolationHow")}
              value={draft.isolation}
              data={[
                { value: "instance", label: t("plugins.settings.perInstance") },
                { value: "shared", label: t("plugins.settings.shared") },
              ]}
              onChange={(value) => setDraft({ ...draft, isolation: value as Draft["isolation"] })}
              {...error("isolation")}
            />
            <Switch
              label={t("plugins.settings.keepRunning")}
              description={t("plugins.settings.keepRunningHow")}
              checked={draft.keepRunning}
              onChange={(e) => setDraft({ ...draft, keepRunning: e.currentTarget.checked })}
            />
          </>
        )}
        <Allowed group="logins" names={logins} draft={draft} onChange={setDraft}>
          {draft.allowCookies && !draft.allowSameOrigin && <Soft text={t("plugins.settings.noLoginPages")} />}
        </Allowed>
        <Allowed group="trust" names={risky} draft={draft} onChange={setDraft} />
        {internal && <Environment names={environment} change={env} onChange={setEnv} faults={faults} />}
        {save.isError && <ErrorNote error={save.error} />}
        <div className="row">
          <Button type="submit" variant="filled" loading={save.isPending}>
            {t("plugins.settings.save")}
          </Button>
        </div>
      </form>
    </Section>
  );
};

interface AllowedProps {
  group: "logins" | "trust";
  names: readonly ((typeof logins)[number] | (typeof risky)[number])[];
  draft: Draft;
  onChange: (draft: Draft) => void;
  children?: ReactNode;
}

const Allowed = ({ group, names, draft, onChange, children }: AllowedProps) => (
  <fieldset className="fields">
    <legend>{t(`plugins.settings.${group}`)}</legend>
    <Soft text={t(`plugins.settings.${group}How`)} />
    {names.map((name) => (
      <Switch
        key={name}
        label={t(`plugins.settings.${name}`)}
        description={t(`plugins.settings.${name}How`)}
        checked={draft[name]}
        onChange={(e) => onChange({ ...draft, [name]: e.currentTarget.checked })}
      />
    ))}
    {children}
  </fieldset>
);

const Soft = ({ text }: { text: string }) => (
  <p className="soft" style={{ margin: 0 }}>
    {text}
  </p>
);

// changes are the settings that differ, so that two people who change different ones do
// not undo each other.
const changes = (before: Draft, after: Draft, environment: Change) => ({
  ...Object.fromEntries(Object.entries(after).filter(([name, value]) => before[name as keyof Draft] !== value)),
  ...(Object.keys(environment).length > 0 ? { environment } : {}),
});
