import { ErrorNote } from "../kit/ErrorNote";
import { Page, Section, Summary } from "../kit/Page";
import { Pending } from "../kit/Pending";
import { State, Time } from "../kit/values";
import { t } from "../text";
import { SettingsNav } from "./SettingsNav";
import { useSystem, type System } from "./system";

export const HealthPage = () => {
  const query = useSystem();
  return (
    <Page title={t("settings.title")}>
      <SettingsNav />
      {query.isPending && <Pending rows={6} />}
      {query.isError && <ErrorNote error={query.error} retry={() => void query.refetch()} />}
      {query.data && (
        <>
          <Parts system={query.data} />
          <Process system={query.data} />
        </>
      )}
    </Page>
  );
};

const Parts = ({ system }: { system: System }) => (
  <Section title={t("settings.health.parts")}>
    <ul className="rows">
      {system.health.map((part) => (
        <li key={part.name}>
          <PartState part={part} mail={system.mail.via} />
          <span className="wrap">
            <strong className="cap">{part.name}</strong> {part.message}
          </span>
          <span className="soft">
            <Time at={part.since} />
          </span>
        </li>
      ))}
    </ul>
  </Section>
);

// PartState says whether a part works. Mail that goes to the log reaches nobody, so it does not.
const PartState = ({ part, mail }: { part: System["health"][number]; mail: System["mail"]["via"] }) => {
  if (part.name === "mail" && part.ok && mail === "log")
    return <State tone="warn">{t("settings.health.logged")}</State>;
  return <State tone={part.ok ? "good" : "bad"}>{t(part.ok ? "settings.health.ok" : "settings.health.broken")}</State>;
};

// files tells where the files are kept: in the data folder, or in object storage, of which it is a cache.
const files = (storage: System["storage"]): [string, string][] =>
  storage.kind === "disk"
    ? [[t("settings.health.storage"), storage.folder]]
    : [
        [t("settings.health.storage_s3"), storage.address ?? "–"],
        [t("settings.health.cache"), storage.folder],
      ];

const Process = ({ system: s }: { system: System }) => (
  <Section title={t("settings.health.process")}>
    <Summary
      facts={[
        [
          t("settings.health.version"),
          <span key="v">
            {s.version} {s.commit && <code>{s.commit.slice(0, 10)}</code>}
          </span>,
        ],
        [t("settings.health.started"), <Time key="s" at={s.startedAt} />],
        [t("settings.health.host"), s.host],
        [t("settings.health.address"), s.publicUrl],
        [t("settings.health.ops"), s.opsAddress ?? t("settings.health.off")],
        [t("settings.health.database"), `${s.database.engine} ${s.database.version ?? ""}`],
        ...files(s.storage),
        [
          t("settings.health.redis"),
          t(
            s.redis.configured
              ? s.redis.reachable
                ? "settings.health.ok"
                : "settings.health.broken"
              : "settings.health.off",
          ),
        ],
        [t("settings.health.mail"), s.mail.from ?? t(`settings.health.mail_${s.mail.via}`)],
        [t("settings.health.node"), s.plugins.nodeVersion ?? s.plugins.error ?? "–"],
        [t("settings.health.isolation"), [s.plugins.isolation, s.plugins.missing].filter(Boolean).join(": ") || "–"],
      ]}
    />
    <p className="soft prose" style={{ margin: 0 }}>
      {t("settings.health.about")}
    </p>
  </Section>
);
