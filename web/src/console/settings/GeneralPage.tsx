// What the shop says of itself.
import { Button, ColorInput, Select, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { api, data, tagged, type Schemas } from "../../api/client";
import { useFaults } from "../kit/useFaults";
import { ErrorNote } from "../kit/ErrorNote";
import { Page } from "../kit/Page";
import { Pending } from "../kit/Pending";
import { onRetry, useBase, useTyped } from "../kit/useBase";
import { tell } from "../kit/toast";
import { Locked } from "../kit/may";
import { languages, nameOf } from "../../text/languages";
import { t } from "../text";
import { SettingsNav } from "./SettingsNav";

type Settings = Schemas["Settings"];

const key = ["settings"];
const fields = ["shopName", "supportEmail", "supportUrl", "termsUrl", "privacyUrl"] as const;
const others = ["accent", "language"] as const;
const swatches = ["#0b534f", "#1f5fbf", "#6d3fc0", "#a3325f", "#8a4b08", "#2f6b1f", "#3b4350"];

export const GeneralPage = () => {
  const query = useQuery({ queryKey: key, queryFn: () => tagged(api.GET("/api/v1/admin/settings")) });
  return (
    <Page title={t("settings.title")}>
      <SettingsNav />
      {query.isPending && <Pending rows={4} />}
      {query.isError && <ErrorNote error={query.error} retry={() => void query.refetch()} />}
      {query.data && (
        <Locked needs="settings:write">
          <General latest={query.data} />
        </Locked>
      )}
    </Page>
  );
};

interface Loaded {
  value: Settings;
  etag: string;
}

const General = ({ latest }: { latest: Loaded }) => {
  const queries = useQueryClient();
  const { base, setTyped, settle } = useBase(latest);
  const again = () => queries.invalidateQueries({ queryKey: key }).then(settle);
  return <Form key={base.etag} base={base} onTyped={setTyped} again={again} />;
};

const Form = ({
  base: { value: settings, etag },
  onTyped,
  again,
}: {
  base: Loaded;
  onTyped: (typed: boolean) => void;
  again: () => Promise<void>;
}) => {
  const [values, setValues] = useState(() => ({ ...settings }));
  useTyped(
    [...fields, ...others].some((name) => (values[name] ?? null) !== (settings[name] ?? null)),
    onTyped,
  );
  const save = useMutation({
    mutationFn: () =>
      data(
        api.PATCH("/api/v1/admin/settings", {
          params: { header: { "If-Match": etag } },
          body: {
            accent: values.accent,
            language: values.language ?? null,
            ...Object.fromEntries(fields.map((name) => [name, values[name]])),
          },
        }),
      ),
    onSuccess: async () => {
      await again();
      tell(t("settings.general.saved"));
    },
  });
  const { issues, at: fault } = useFaults(save.error, values as Record<string, unknown>);
  const set = (name: keyof Settings, value: string) =>
    setValues((now) => ({ ...now, [name]: value === "" ? null : value }));
  const submit = (e: FormEvent) => {
    e.preventDefault();
    save.mutate();
  };
  return (
    <form className="form" onSubmit={submit} noValidate>
      {fields.map((name) => (
        <TextInput
          key={name}
          label={t(`settings.general.${name}`)}
          description={t(`settings.general.${name}How`)}
          value={values[name] ?? ""}
          error={fault(name)}
          {...(name === "shopName" ? { placeholder: settings.defaultShopName } : {})}
          onChange={(e) => set(name, e.currentTarget.value)}
        />
      ))}
      <ColorInput
        label={t("settings.general.accent")}
        description={t("settings.general.accentHow")}
        value={values.accent ?? ""}
        swatches={swatches}
        withEyeDropper={false}
        placeholder="#0b534f"
        withPreview={values.accent !== null}
        error={fault("accent")}
        onChange={(value) => set("accent", value)}
      />
      <Select
        label={t("settings.general.language")}
        description={t("settings.general.languageHow")}
        value={values.language ?? ""}
        data={[
          { value: "", label: t("settings.general.languageNone") },
          ...languages.map((tag) => ({ value: tag, label: nameOf(tag) })),
        ]}
        error={fault("language")}
        allowDeselect={false}
        onChange={(tag) => set("language", tag ?? "")}
      />
      {save.isError && issues.length === 0 && (
        <ErrorNote error={save.error} retry={onRetry(save.error, save.mutate, again)} />
      )}
      <div className="row">
        <Button type="submit" variant="filled" loading={save.isPending}>
          {t("settings.general.save")}
        </Button>
      </div>
    </form>
  );
};
