// The screen of the account with where somebody is signed in, and what happened lately.
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, data, ok, type Schemas } from "../../api/client";
import { deviceName } from "../../text/device";
import { own } from "../ownText";
import { useProved } from "../proof";
import { Ago, Badge, Button, Day, Failure, Pager, Told, useHeading, Waiting } from "../ui";

type Session = Schemas["Session"];
type Activity = Schemas["Activity"];
type Change = Schemas["ChangeActivity"];

export const DevicesAndActivity = () => (
  <>
    <Devices />
    <Happenings />
  </>
);

const Devices = () => {
  const queries = useQueryClient();
  const { heading, toHeading } = useHeading();
  const sessions = useQuery({ queryKey: ["sessions"], queryFn: () => data(api.GET("/auth/sessions")) });
  // of one session, or of all others
  const end = useProved({
    mutationFn: (id: string | null) =>
      id === null
        ? ok(api.DELETE("/auth/sessions"))
        : ok(api.DELETE("/auth/sessions/{id}", { params: { path: { id } } })),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ["sessions"] });
      toHeading();
    },
  });
  const others = sessions.data?.items.some((one) => !one.current);
  return (
    <section aria-labelledby="sessions">
      <h2 id="sessions" ref={heading} tabIndex={-1}>
        {own("account.sessions")}
      </h2>
      <Told>{end.isSuccess && own(end.variables === null ? "account.endedAll" : "account.ended")}</Told>
      {end.error && <Failure error={end.error} />}
      {end.proof}
      {sessions.isPending ? (
        <Waiting />
      ) : sessions.isError ? (
        <Failure error={sessions.error} retry={() => void sessions.refetch()} />
      ) : (
        <ul className="list">
          {sessions.data.items.map((one) => (
            <Row key={one.id} session={one} busy={end.isPending} onEnd={() => end.mutate(one.id)} />
          ))}
        </ul>
      )}
      {others && (
        <p>
          <Button type="button" className="button slim" busy={end.isPending} onClick={() => end.mutate(null)}>
            {own("account.endAll")}
          </Button>
        </p>
      )}
    </section>
  );
};

const Row = ({ session, busy, onEnd }: { session: Session; busy: boolean; onEnd: () => void }) => (
  <li>
    <div>
      <strong>
        {session.impersonator ? own("account.staff", { name: session.impersonator.name }) : deviceName(session.device)}
      </strong>
      <div className="list-facts">
        {session.current && <Badge tone="good">{own("account.this")}</Badge>}
        <span>
          {own("account.started")} <Day at={session.createdAt} />
        </span>
        <span>
          {own("account.used")} <Ago at={session.lastUsedAt} />
        </span>
        {session.address && <span>{session.lastAddress ?? session.address}</span>}
      </div>
    </div>
    {!session.current && (
      <Button type="button" className="button slim" busy={busy} onClick={onEnd}>
        {own("account.end")}
      </Button>
    )}
  </li>
);

// changes are the actions that have words of their own, by their names.
const changes = [
  "activate",
  "deactivate",
  "role",
  "change_password",
  "remove_password",
  "reset_password",
  "end_sessions",
  "verify_email",
  "change_email",
  "revert_email",
  "reclaim",
  "add_passkey",
  "remove_passkey",
  "add_totp",
  "remove_totp",
  "new_codes",
  "use_code",
  "mail_reset",
  "link_identity",
  "unlink_identity",
  "start_reset",
  "reset_factor",
  "cancel_reset_factor",
  "impersonation.start",
  "impersonation.end",
] as const;

const worded = ({ action, by }: Change): string => {
  const what = changes.find((name) => action === `user.${name}` || action === name) ?? "other";
  const text = own(`account.changes.${what}`);
  return by === "staff" ? own("account.byStaff", { text }) : text;
};

const Happened = ({ one }: { one: Activity }) => (
  <li>
    <div>
      <strong>
        {one.kind === "change"
          ? worded(one)
          : own(one.outcome === "refused" ? "account.refused" : "account.signedIn", {
              device: deviceName(one.device),
            })}
      </strong>
      <div className="list-facts">
        <Ago at={one.at} />
        {one.address && <span>{one.address}</span>}
      </div>
    </div>
  </li>
);

const Happenings = () => {
  const [page, setPage] = useState(1);
  const list = useQuery({
    queryKey: ["activity", page],
    queryFn: () => data(api.GET("/auth/activity", { params: { query: { page, limit: 10 } } })),
    placeholderData: keepPreviousData,
  });
  return (
    <section aria-labelledby="activity">
      <h2 id="activity">{own("account.activity")}</h2>
      <p className="soft">{own("account.activityHow")}</p>
      {list.isPending ? (
        <Waiting />
      ) : list.isError ? (
        <Failure error={list.error} retry={() => void list.refetch()} />
      ) : (
        <>
          <ul className="list">
            {list.data.items.map((one, i) => (
              <Happened key={`${one.at} ${i}`} one={one} />
            ))}
          </ul>
          <Pager page={page} pages={list.data.pagination.totalPages} onPage={setPage} />
        </>
      )}
    </section>
  );
};
