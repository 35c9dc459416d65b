// The config of an instance. It is saved for the state that the form was filled from; if
// somebody else changed it meanwhile, nothing is overwritten.
import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { api, tagged } from "../../api/client";
import { asProblem } from "../../api/problem";
import { ConfigForm } from "../extensions/form/ConfigForm";
import { readManifest } from "../extensions/manifest";
import { Section } from "../kit/Page";
import { reason } from "../kit/reason";
import { tell, tellFailure } from "../kit/toast";
import { t } from "../text";
import { useRefresh, type Instance, type Package } from "./data";
import { useEnable } from "./actions";
import { lacking } from "./lacks";

interface Props {
  plugin: Package;
  instance: Instance;
  etag: string;
}

export const InstanceConfig = ({ plugin, instance, etag }: Props) => {
  // The state that the form shows. A newer one, which the page reads by itself, replaces
  // it only when asked: what somebody typed must not vanish.
  const [base, setBase] = useState({ instance, etag, n: 0 });
  // What changed beside the config, such as whether it is enabled, is no reason to refuse.
  const match = JSON.stringify(instance.config) === JSON.stringify(base.instance.config) ? etag : base.etag;
  const refresh = useRefresh();
  const enable = useEnable(instance, plugin.name);
  const enableNow = () => {
    enable().catch((error: unknown) => tellFailure(reason(error)));
  };
  const { slug, name, manifestJson } = plugin;
  const { configSchema } = readManifest(manifestJson);
  const save = useMutation({
    mutationFn: (config: Record<string, unknown>) =>
      tagged(
        api.PATCH("/api/v1/admin/plugins/{slug}/instances/{installationId}", {
          params: { path: { slug, installationId: instance.installationId }, header: { "If-Match": match } },
          body: { config },
        }),
      ),
    onSuccess: ({ value, etag: next }) => {
      setBase((now) => ({ instance: value, etag: next, n: now.n + 1 }));
      void refresh();
      const labels = lacking(value, manifestJson);
      if (value.enabled) tell(t("plugins.config.saved", { name }));
      else if (labels.length > 0)
        tell(t.count("plugins.config.savedLacking", labels.length, { name, labels: labels.join(", ") }));
      else
        tell(t("plugins.config.savedDisabled", { name }), {
          label: t("plugins.enable.button"),
          run: enableNow,
        });
    },
  });
  const stale = save.isError && asProblem(save.error).code === "PRECONDITION_FAILED";
  const reload = () => {
    setBase((now) => ({ instance, etag, n: now.n + 1 }));
    save.reset();
  };
  const configured = Object.fromEntries(
    Object.entries(base.instance.configMeta.secretFields).map(([field, { configured: is }]) => [field, is]),
  );
  return (
    <Section title={t("plugins.views.config")}>
      {stale && (
        <div className="note" data-tone="warn" role="alert">
          <h3>{t("plugins.config.stale")}</h3>
          <p>{t("plugins.config.staleHow")}</p>
          <div className="row">
            <Button size="xs" onClick={reload}>
              {t("reload")}
            </Button>
            <Button
              size="xs"
              onClick={() => {
                setBase((now) => ({ ...now, etag }));
                save.reset();
              }}>
              {t("plugins.config.keepMine")}
            </Button>
          </div>
        </div>
      )}
      <ConfigForm
        key={base.n}
        schema={configSchema}
        config={base.instance.config ?? null}
        configured={configured}
        complete={instance.enabled}
        submit={t("plugins.config.save")}
        error={stale ? null : save.error}
        pending={save.isPending}
        onSubmit={(config) => save.mutate(config)}
        none={t("plugins.config.none")}
      />
    </Section>
  );
};
