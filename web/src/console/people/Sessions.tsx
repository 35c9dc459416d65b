// Where a person is signed in. Ending a session signs that device out at once.
import { Button } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, data, ok, type Schemas } from "../../api/client";
import { deviceName } from "../../text/device";
import { Confirm } from "../kit/Confirm";
import { ErrorNote } from "../kit/ErrorNote";
import { may } from "../kit/may";
import { Section } from "../kit/Page";
import { Bar } from "../kit/Pending";
import { State, Time } from "../kit/values";
import { t } from "../text";

type Session = Schemas["Session"];

export const Sessions = ({ userId }: { userId: string }) => {
  const [ending, setEnding] = useState<Session | "all" | null>(null);
  const sessions = useQuery({
    queryKey: ["users", userId, "sessions"],
    queryFn: () => data(api.GET("/api/v1/admin/users/{id}/sessions", { params: { path: { id: userId } } })),
  });
  const list = sessions.data?.items ?? [];
  const mayEnd = may("users:sessions");
  const all = list.length > 1 && mayEnd && (
    <Button size="xs" onClick={() => setEnding("all")}>
      {t("people.sessions.endAll")}
    </Button>
  );
  return (
    <Section title={t("people.sessions.title")} {...(all ? { actions: all } : {})}>
      {sessions.isError && <ErrorNote error={sessions.error} retry={() => void sessions.refetch()} />}
      {sessions.isPending && <Bar height={40} />}
      {sessions.data && list.length === 0 && <p className="soft flat">{t("people.sessions.none")}</p>}
      {list.length > 0 && (
        <ul className="rows">
          {list.map((session, i) => (
            <li key={session.id}>
              <span>{session.impersonator ? t("people.seen.one") : deviceName(session.device)}</span>
              <span className="soft">
                {t("people.sessions.since")} <Time at={session.createdAt} />
              </span>
              <span className="soft">
                {t("people.sessions.used")} <Time at={session.lastUsedAt} />
              </span>
              {session.address && <span className="soft">{session.lastAddress ?? session.address}</span>}
              {session.current && <State tone="good">{t("people.sessions.current")}</State>}
              {mayEnd && (
                <Button
                  size="xs"
                  aria-label={t("people.sessions.endOne", { n: i + 1 })}
                  onClick={() => setEnding(session)}>
                  {t("people.sessions.end")}
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {ending && (
        <End userId={userId} session={ending} own={list.some((s) => s.current)} onClose={() => setEnding(null)} />
      )}
    </Section>
  );
};

const End = ({
  userId,
  session,
  own,
  onClose,
}: {
  userId: string;
  session: Session | "all";
  own: boolean;
  onClose: () => void;
}) => {
  const cache = useQueryClient();
  const all = session === "all";
  const run = async () => {
    if (all) await ok(api.DELETE("/api/v1/admin/users/{id}/sessions", { params: { path: { id: userId } } }));
    else
      await ok(
        api.DELETE("/api/v1/admin/users/{id}/sessions/{sessionId}", {
          params: { path: { id: userId, sessionId: session.id } },
        }),
      );
    void Promise.all(["users", "audit"].map((key) => cache.invalidateQueries({ queryKey: [key] })));
  };
  const mine = all ? own : session.current;
  return (
    <Confirm
      open
      onClose={onClose}
      title={t(all ? "people.sessions.endAll" : "people.sessions.endTitle")}
      action={t(all ? "people.sessions.endAll" : "people.sessions.end")}
      effects={[
        t(all ? "people.sessions.effectAll" : "people.sessions.effect"),
        t("people.sessions.again"),
        ...(mine ? [t("people.sessions.own")] : []),
      ]}
      run={run}
      done={t(all ? "people.sessions.doneAll" : "people.sessions.done")}
    />
  );
};
