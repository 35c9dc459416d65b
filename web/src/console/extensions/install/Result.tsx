// What an installation did, and what is left to do: consent, or configure.
import { Button, Checkbox } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { ErrorNote } from "../../kit/ErrorNote";
import { tell } from "../../kit/toast";
import { t } from "../../text";
import { grantAll } from "../grant";
import { meaning } from "../Permissions";
import type { Kind } from "./peek";
import type { Installed } from "./useInstall";

// onAgain chooses another archive, where there can be another.
interface ResultProps {
  installed: Installed;
  kind: Kind;
  onClose: () => void;
  onAgain?: () => void;
}

export const Result = ({ installed, kind, onClose, onAgain }: ResultProps) => {
  const navigate = useNavigate();
  const plugin = "defaultInstance" in installed ? installed : null;
  const added = plugin && plugin.previousVersion && !plugin.duplicate ? plugin.permissions.added : [];
  const open = () => {
    onClose();
    if (kind.startsWith("theme")) void navigate({ to: "/themes" });
    else if (plugin && !plugin.defaultInstance.enabled)
      void navigate({ to: `/plugins/${plugin.slug}/${plugin.defaultInstance.installationId}` });
    else if (plugin) void navigate({ to: `/plugins/${plugin.slug}` });
  };
  return (
    <div className="section">
      <div className="note" data-tone="good" role="status">
        <p>{said(installed)}</p>
      </div>
      {plugin && !plugin.defaultInstance.enabled && (
        <div className="note" data-tone="warn">
          <p>
            {plugin.defaultInstance.runtime.lastError
              ? t("plugins.install.notLoaded", { message: plugin.defaultInstance.runtime.lastError.message })
              : t("plugins.install.notConfigured")}
          </p>
        </div>
      )}
      {"items" in installed && (
        <ul className="grants">
          {installed.items.map((item) => (
            <li key={`${item.kind}/${item.slug}`}>
              <code>
                {item.slug} {item.version}
              </code>{" "}
              <span className="soft">{t(`plugins.install.item.${item.result}`)}</span>
            </li>
          ))}
        </ul>
      )}
      {added.length > 0 ? (
        <Consent slug={installed.slug} added={added} onDone={open} />
      ) : (
        <div className="dialog-actions">
          {onAgain && <Button onClick={onAgain}>{t("plugins.install.another")}</Button>}
          <Button variant="filled" onClick={open} data-autofocus>
            {plugin && !plugin.defaultInstance.enabled && !plugin.defaultInstance.runtime.lastError
              ? t("plugins.install.configure")
              : t("plugins.install.open", { name: installed.name })}
          </Button>
        </div>
      )}
    </div>
  );
};

const said = (installed: Installed): string => {
  const values = { name: installed.name, version: installed.version };
  if (installed.duplicate) return t("plugins.install.duplicate", values);
  const previous = "previousVersion" in installed ? installed.previousVersion : undefined;
  return previous ? t("plugins.install.upgraded", { ...values, previous }) : t("plugins.install.installed", values);
};

// Consent asks for the permissions that an upgrade declares and nobody has granted.
const Consent = ({ slug, added, onDone }: { slug: string; added: string[]; onDone: () => void }) => {
  const [chosen, setChosen] = useState<string[]>([]);
  const client = useQueryClient();
  const grant = useMutation({
    mutationFn: () => grantAll(slug, chosen),
    onSuccess: (n) => {
      tell(t.count("plugins.permissions.grantedTo", n));
      void client.invalidateQueries({ queryKey: ["plugins"] });
      onDone();
    },
  });
  return (
    <>
      <h3>{t("plugins.permissions.new")}</h3>
      <p style={{ margin: 0 }} className="soft">
        {t("plugins.permissions.newHow")}
      </p>
      {added.map((name) => (
        <Checkbox
          key={name}
          label={<code className="wrap">{name}</code>}
          description={meaning(name)}
          checked={chosen.includes(name)}
          onChange={(e) => setChosen(e.currentTarget.checked ? [...chosen, name] : chosen.filter((p) => p !== name))}
        />
      ))}
      {grant.isError && <ErrorNote error={grant.error} />}
      <div className="dialog-actions">
        <Button onClick={onDone}>{t("plugins.permissions.later")}</Button>
        <Button
          variant="filled"
          disabled={chosen.length === 0}
          loading={grant.isPending}
          onClick={() => grant.mutate()}>
          {chosen.length === 0
            ? t("plugins.permissions.grantNone")
            : t.count("plugins.permissions.grant", chosen.length)}
        </Button>
      </div>
    </>
  );
};
