// What packages may contain: file types, by kind of extension.
import { Button, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { api, data, tagged, type Schemas } from "../../api/client";
import { useFaults } from "../kit/useFaults";
import { ErrorNote } from "../kit/ErrorNote";
import { Page, Section } from "../kit/Page";
import { Pending } from "../kit/Pending";
import { onRetry, useBase, useTyped } from "../kit/useBase";
import { tell } from "../kit/toast";
import { Locked } from "../kit/may";
import { t } from "../text";
import { asList, asText, fileKinds } from "./fileTypes";
import { SettingsNav } from "./SettingsNav";

const key = ["settings"];

interface Loaded {
  value: Schemas["Settings"];
  etag: string;
}

export const PackagesPage = () => {
  const query = useQuery({ queryKey: key, queryFn: () => tagged(api.GET("/api/v1/admin/settings")) });
  return (
    <Page title={t("settings.title")}>
      <SettingsNav />
      {query.isPending && <Pending rows={4} />}
      {query.isError && <ErrorNote error={query.error} retry={() => void query.refetch()} />}
      {query.data && (
        <Section title={t("settings.packages.types")}>
          <p className="soft prose" style={{ margin: 0 }}>
            {t("settings.packages.how")}
          </p>
          <Locked needs="settings:write">
            <Types latest={query.data} />
          </Locked>
        </Section>
      )}
    </Page>
  );
};

const Types = ({ latest }: { latest: Loaded }) => {
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
  const before = Object.fromEntries(fileKinds.map((kind) => [kind, asText(settings.archiveTypes[kind])]));
  const [values, setValues] = useState(before);
  const changed = fileKinds.filter((kind) => values[kind] !== before[kind]);
  const fixed = settings.archiveTypesSource !== "setting";
  useTyped(changed.length > 0, onTyped);
  const save = useMutation({
    mutationFn: () =>
      data(
        api.PATCH("/api/v1/admin/settings", {
          params: { header: { "If-Match": etag } },
          body: { archiveTypes: Object.fromEntries(changed.map((kind) => [kind, asList(values[kind] ?? "")])) },
        }),
      ),
    onSuccess: async () => {
      await again();
      tell(t("settings.packages.saved"));
    },
  });
  const { issues, at } = useFaults(save.error, byPath(values));
  const submit = (e: FormEvent) => {
    e.preventDefault();
    save.mutate();
  };
  return (
    <form className="form" onSubmit={submit} noValidate>
      {fixed && (
        <p className="note" data-tone="none">
          {t("settings.packages.fixed", { variable: settings.archiveTypesSource })}
        </p>
      )}
      {fileKinds.map((kind) => (
        <TextInput
          key={kind}
          label={t(`plugins.kinds.${kind}`)}
          description={t("settings.packages.always", { types: kind === "bundle" ? ".zip .json" : usual })}
          value={values[kind] ?? ""}
          readOnly={fixed}
          error={at(`archiveTypes.${kind}`)}
          onChange={(e) => {
            const text = e.currentTarget.value;
            setValues((now) => ({ ...now, [kind]: text }));
          }}
        />
      ))}
      {save.isError && issues.length === 0 && (
        <ErrorNote error={save.error} retry={onRetry(save.error, save.mutate, again)} />
      )}
      {!fixed && (
        <div className="row">
          <Button type="submit" variant="filled" loading={save.isPending} disabled={changed.length === 0}>
            {t("settings.packages.save")}
          </Button>
        </div>
      )}
    </form>
  );
};

const usual = ".js .json .woff .woff2 .css .html";

// byPath are the values under the names that the server's faults have.
const byPath = (values: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([kind, text]) => [`archiveTypes.${kind}`, text]));
