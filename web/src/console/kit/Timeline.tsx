// What happened to a thing, the latest first: moments that a page knows itself, and the
// entries of the audit log.
import { useQuery } from "@tanstack/react-query";
import { useId, type ReactNode } from "react";
import { api, data, type Schemas } from "../../api/client";
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

type Entry = Schemas["AuditEntry"];

// deed says what an audit entry records; an action without a text stands as it is.
const deed = (action: string): string => {
  const key = `timeline.did.${action}`;
  const text = t(key as "timeline.none");
  return text === key ? action : text;
};

const who = ({ actor }: Entry): string =>
  actor.name ?? (actor.kind === "user" || actor.kind === "service" ? actor.id : t(`timeline.by.${actor.kind}`));

export const asMoment = (entry: Entry): Moment => ({ at: entry.at, what: deed(entry.action), who: who(entry) });

// useAudit reads the latest entries about a target ("order:<id>"), or by an actor.
export const useAudit = (by: { target?: string; actor?: string }) =>
  useQuery({
    queryKey: ["audit", by],
    queryFn: () => data(api.GET("/api/v1/admin/audit", { params: { query: { ...by, limit: 50 } } })),
  });

// History is a timeline of the audit entries about a target and of other moments.
export const History = ({ target, moments = [] }: { target: string; moments?: Moment[] }) => {
  const audit = useAudit({ target });
  return (
    <>
      {audit.isError && <ErrorNote error={audit.error} retry={() => void audit.refetch()} />}
      <Timeline moments={[...moments, ...(audit.data?.items ?? []).map(asMoment)]} />
    </>
  );
};
