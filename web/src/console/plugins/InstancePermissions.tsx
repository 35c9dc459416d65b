// What an instance may: of what its plugin declares, what an administrator grants.
import { Button, Checkbox } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { api, ok } from "../../api/client";
import { meaning } from "../extensions/Permissions";
import { mayGrant } from "../extensions/grant";
import { readManifest } from "../extensions/manifest";
import { ErrorNote } from "../kit/ErrorNote";
import { Section } from "../kit/Page";
import { may, permissionName } from "../kit/may";
import { tell } from "../kit/toast";
import { t } from "../text";
import { useRefresh, type Instance, type Package } from "./data";

export const InstancePermissions = ({
  plugin,
  instance,
  etag,
}: {
  plugin: Package;
  instance: Instance;
  etag: string;
}) => {
  const { permissions: declared } = readManifest(plugin.manifestJson);
  const [chosen, setChosen] = useState<string[] | null>(null);
  const granted = instance.grantedPermissions;
  const now = chosen ?? granted;
  const added = now.filter((p) => !granted.includes(p)).length;
  const removed = granted.filter((p) => !now.includes(p)).length;
  const waiting = instance.undecidedPermissions ?? [];
  const decides = waiting.length > 0 && may("extensions:trust");
  const refresh = useRefresh();
  const save = useMutation({
    mutationFn: () =>
      ok(
        api.PATCH("/api/v1/admin/plugins/{slug}/instances/{installationId}", {
          params: {
            path: { slug: plugin.slug, installationId: instance.installationId },
            header: { "If-Match": etag },
          },
          body: { grantedPermissions: now },
        }),
      ),
    onSuccess: async () => {
      await refresh();
      setChosen(null);
      tell(t("plugins.permissions.saved"));
    },
    onError: () => void refresh(),
  });
  return (
    <Section title={t("plugins.permissions.title")}>
      {declared.length === 0 ? (
        <p className="soft" style={{ margin: 0 }}>
          {t("plugins.permissions.none")}
        </p>
      ) : (
        <form
          className="form"
          onSubmit={(e) => {
            e.preventDefault();
            save.mutate();
          }}>
          {waiting.length > 0 && (
            <section className="note" data-tone="warn" aria-label={t("plugins.permissions.waits")}>
              <h3>{t("plugins.permissions.waits")}</h3>
              <p className="wrap">
                {t.count("plugins.permissions.waiting", waiting.length, { names: waiting.join(", ") })}
              </p>
              <p>
                {decides
                  ? t("plugins.permissions.decide")
                  : t("plugins.permissions.decides", { permission: permissionName("extensions:trust") })}
              </p>
            </section>
          )}
          {declared.map((name) => (
            <Checkbox
              key={name}
              label={<code className="wrap">{name}</code>}
              description={meaning(name)}
              checked={now.includes(name)}
              disabled={!granted.includes(name) && !mayGrant(name)}
              onChange={(e) => setChosen(e.currentTarget.checked ? [...now, name] : now.filter((p) => p !== name))}
            />
          ))}
          {save.isError && <ErrorNote error={save.error} />}
          <div className="row">
            <Button
              type="submit"
              variant="filled"
              disabled={added + removed === 0 && !decides}
              loading={save.isPending}>
              {t("plugins.permissions.save")}
            </Button>
            {added + removed > 0 && (
              <span className="soft" role="status">
                {t("plugins.permissions.change", { added, removed })}
              </span>
            )}
          </div>
        </form>
      )}
    </Section>
  );
};
