// What is in an archive, and what installing it means, before it is sent.
import { useQuery } from "@tanstack/react-query";
import { api, data } from "../../../api/client";
import { Problem } from "../../../api/problem";
import { t } from "../../text";
import { Permissions } from "../Permissions";
import { readManifest } from "../manifest";
import type { Kind, Peek } from "./peek";

const useInstalled = (peek: Peek | null, kind: Kind) => {
  const slug = peek?.manifest.slug ?? "";
  return useQuery({
    queryKey: ["extensions", kind, slug, "installed"],
    enabled: slug !== "",
    retry: false,
    queryFn: () =>
      data(api.GET("/api/v1/admin/extensions/{kind}/{slug}", { params: { path: { kind, slug } } })).catch(
        (error: unknown) => {
          if (error instanceof Problem && error.status === 404) return null;
          throw error;
        },
      ),
  });
};

// isOlder compares two versions of three numbers.
export const isOlder = (version: string, than: string): boolean =>
  version.localeCompare(than, "en", { numeric: true }) < 0 && [version, than].every((v) => /^\d+\.\d+\.\d+$/.test(v));

// useOlder returns the installed version if it is higher than that of an archive, which stoa
// then refuses. Versions of themes stand side by side.
export const useOlder = (peek: Peek | null, kind: Kind): string | undefined => {
  const installed = useInstalled(peek, kind).data?.version;
  const matters = kind === "plugin" || kind === "bundle";
  return matters && installed && isOlder(peek?.manifest.version ?? "", installed) ? installed : undefined;
};

export const What = ({ peek, kind }: { peek: Peek | null; kind: Kind }) => {
  const slug = peek?.manifest.slug ?? "";
  const now = useInstalled(peek, kind);
  const older = useOlder(peek, kind);
  if (peek === null)
    return (
      <p className="note" data-tone="warn">
        {t("plugins.install.unreadable")}
      </p>
    );
  const { manifest } = peek;
  if (older)
    return (
      <div className="note" data-tone="warn">
        <p>
          {t("plugins.install.is", {
            kind: t(`plugins.kinds.${kind}`),
            name: manifest.name ?? slug,
            version: manifest.version ?? "",
          })}
        </p>
        <p>{t("plugins.install.older", { from: older, to: manifest.version ?? "" })}</p>
      </div>
    );
  const installed = now.data ?? null;
  const had = installed ? readManifest(installed.manifestJson).permissions : [];
  const added = manifest.permissions.filter((p) => !had.includes(p));
  const effect =
    installed === null
      ? t("plugins.install.fresh")
      : installed.version === manifest.version
        ? t("plugins.install.same", { version: installed.version })
        : kind === "plugin"
          ? t("plugins.install.upgrades", { from: installed.version, to: manifest.version ?? "" })
          : t("plugins.install.beside", { versions: installed.version });
  return (
    <>
      <p style={{ margin: 0 }}>
        {t("plugins.install.is", {
          kind: t(`plugins.kinds.${kind}`),
          name: manifest.name ?? slug,
          version: manifest.version ?? "",
        })}{" "}
        {now.isSuccess && effect}
      </p>
      {now.isSuccess && added.length > 0 && (
        <div className="section" style={{ gap: 8 }}>
          <h3>{t(installed ? "plugins.install.asksMore" : "plugins.install.willGrant")}</h3>
          <Permissions names={added} />
        </div>
      )}
    </>
  );
};
