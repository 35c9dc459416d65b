// What happened to a thing, the latest first: moments that a page knows itself, and the
// entries of the audit log.
import { useQueries, useQuery } from "@tanstack/react-query";
import { useId, type ReactNode } from "react";
import { api, data, type Schemas } from "../../api/client";
import { may } from "./may";
import { t } from "../text";
import { ErrorNote } from "./ErrorNote";
import { Time } from "./values";

export interface Moment {
  at: string;
  what: ReactNode;
  who?: string | undefined;
}

export const Timeline = ({ moments }: { moments: Moment[] }) => {
  const id = useId();
  // Of two that happened at once, pages name the earlier one first.
  const latest = [...moments].reverse().sort((a, b) => b.at.localeCompare(a.at));
  if (latest.length === 0) return <p className="soft">{t("timeline.none")}</p>;
  return (
    <ol className="timeline">
      {latest.map(({ at, what, who }, i) => (
        <li key={`${id}-${at}-${i}`}>
          <span className="soft">
            <Time at={at} />
          </span>
          <span className="wrap">
            {what}
            {who && <span className="soft"> · {who}</span>}
          </span>
        </li>
      ))}
    </ol>
  );
};

export type Entry = Schemas["AuditEntry"];

// deed says what an audit entry records; an action without a text stands as it is.
const deed = ({ action, details }: Entry): string => {
  const { enabled, config, grantedPermissions, version, previousVersion } = details as Record<string, unknown>;
  if (action === "instance.update") {
    const changes = [
      ...(enabled === undefined ? [] : [t(enabled ? "timeline.did.instance.enable" : "timeline.did.instance.disable")]),
      ...(config === undefined ? [] : [t("timeline.did.instance.configure")]),
      ...(grantedPermissions === undefined ? [] : [t("timeline.did.instance.permit")]),
    ];
    if (changes.length > 0) return changes.join(" · ");
  }
  const key = `timeline.did.${action}`;
  const text = t(key as "timeline.none");
  const said = text === key ? action : text;
  if (typeof version !== "string") return said;
  return typeof previousVersion === "string" ? `${said} · ${previousVersion} → ${version}` : `${said} · ${version}`;
};

// deeds says what an audit entry records, and of a product what matters most in it.
const deeds = (entry: Entry): string => {
  if (entry.action !== "product.update") return deed(entry);
  const { fields, published, prices } = entry.details as {
    fields?: string[];
    published?: boolean;
    prices?: Record<string, { from: string; to: string }>;
  };
  const told = Object.entries(prices ?? {}).map(([plan, price]) => t("timeline.price", { plan, ...price }));
  if (fields?.includes("published")) told.unshift(t(published ? "timeline.published" : "timeline.unpublished"));
  return told.length > 0 ? told.join(" · ") : deed(entry);
};

const who = ({ actor, onBehalfOf: user }: Entry): string => {
  const staff =
    actor.name ?? (actor.kind === "user" || actor.kind === "service" ? actor.id : t(`timeline.by.${actor.kind}`));
  return user ? t("timeline.behalf", { staff, user: user.name ?? user.id }) : staff;
};

export const asMoment = (entry: Entry): Moment => ({ at: entry.at, what: deeds(entry), who: who(entry) });

const restart = 10_000; // ms between "disabled" and "enabled" of a restart

// asMoments tells of a restart as of one moment, which are two entries.
const asMoments = (entries: Entry[]): Moment[] => {
  const switches = (entry: Entry, to: boolean) =>
    entry.action === "instance.update" && (entry.details as { enabled?: boolean }).enabled === to;
  const restarts = new Map<Entry, Entry>(); // the second one by the first
  for (const off of entries.filter((entry) => switches(entry, false))) {
    const ago = (on: Entry) => Date.parse(on.at) - Date.parse(off.at);
    const on = entries.find(
      (e) =>
        switches(e, true) && e.target.id === off.target.id && who(e) === who(off) && ago(e) >= 0 && ago(e) < restart,
    );
    if (on) restarts.set(off, on);
  }
  const seconds = new Set(restarts.values());
  return entries
    .filter((entry) => !restarts.has(entry))
    .map((entry) =>
      seconds.has(entry) ? { ...asMoment(entry), what: t("timeline.did.instance.restart") } : asMoment(entry),
    );
};

const auditQuery = (by: { target?: string; actor?: string }) => ({
  queryKey: ["audit", by],
  queryFn: () => data(api.GET("/api/v1/admin/audit", { params: { query: { ...by, limit: 50 } } })),
  enabled: may(/^(order|license|review|user):/.test(by.target ?? "user:") ? "audit:customers" : "audit:read"),
});

// useAudit reads the latest entries about a target ("order:<id>"), or by an actor.
export const useAudit = (by: { target?: string; actor?: string }) => useQuery(auditQuery(by));

interface HistoryProps {
  targets: string[];
  moments?: Moment[];
  // Which of the entries belong to it; all of them without.
  only?: (entry: Entry) => boolean;
}

// History is a timeline of the audit entries about some targets and of other moments.
export const History = ({ targets, moments = [], only = () => true }: HistoryProps) => {
  const audits = useQueries({ queries: targets.map((target) => auditQuery({ target })) });
  const failed = audits.find((audit) => audit.isError);
  const entries = audits.flatMap((audit) => audit.data?.items ?? []).filter(only);
  return (
    <>
      {failed && <ErrorNote error={failed.error} retry={() => void failed.refetch()} />}
      <Timeline moments={[...moments, ...asMoments(entries)]} />
    </>
  );
};
