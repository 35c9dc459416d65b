// The screen of the account that is about its data as a whole: keys, a copy to take along,
// and leaving.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState, type FormEvent } from "react";
import { api, data, ok } from "../../api/client";
import { signOut } from "../../api/session";
import { useOrders } from "../data";
import { own } from "../ownText";
import { useProved } from "../proof";
import { t } from "../text";
import { Ago, Button, Day, Failure, Field, Told, useFaults, useHeading } from "../ui";
import { useAccount } from "./data";
import { Keys } from "./Keys";

export const Data = () => (
  <>
    <Keys />
    <TakeAlong />
    <Leave />
  </>
);

const exportKey = ["export"];

// While a copy is made, its state is asked for: a mail tells those who went away.
const useExport = () =>
  useQuery({
    queryKey: exportKey,
    queryFn: () => data(api.GET("/auth/account/export")),
    refetchInterval: ({ state }) => (state.data?.state === "running" ? 2000 : false),
  });

const TakeAlong = () => {
  const queries = useQueryClient();
  const copy = useExport();
  const [fetched, setFetched] = useState<{ id: string; url: string } | null>(null);
  const { heading, toHeading } = useHeading();
  const ask = useProved({
    mutationFn: () => ok(api.POST("/auth/account/export")),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: exportKey });
      toHeading();
    },
  });
  const fetchFile = useProved({
    mutationFn: (id: string) =>
      ok(
        api.GET("/auth/account/export/{id}/archive", { params: { path: { id } }, parseAs: "blob" }),
      ) as Promise<unknown>,
    onSuccess: (archive, id) => setFetched({ id, url: URL.createObjectURL(archive as Blob) }),
  });
  useEffect(() => () => (fetched ? URL.revokeObjectURL(fetched.url) : undefined), [fetched]);
  const latest = copy.data;
  const file = fetched && fetched.id === latest?.id ? fetched.url : null; // not that of an earlier copy
  return (
    <section aria-labelledby="copy">
      <h2 id="copy" ref={heading} tabIndex={-1}>
        {own("account.copy")}
      </h2>
      <p>{own("account.copyHow")}</p>
      {copy.isError && <Failure error={copy.error} retry={() => void copy.refetch()} />}
      {ask.error && <Failure error={ask.error} />}
      {fetchFile.error && <Failure error={fetchFile.error} />}
      {ask.proof}
      {fetchFile.proof}
      <div hidden={ask.proof !== null || fetchFile.proof !== null}>
        <Told>{latest?.state === "running" && own("account.copyRunning")}</Told>
        {latest?.state === "failed" && (
          <p className="note" data-tone="warn">
            {own("account.copyFailed")}
          </p>
        )}
        {latest?.state === "ready" && (
          <>
            <p>
              {own("account.copyMade")} <Ago at={latest.createdAt} />. {own("account.copyUntil")}{" "}
              <Day at={latest.expiresAt} />.
            </p>
            <p className="row">
              {file ? (
                <a className="button primary" href={file} download="account.zip">
                  {own("account.copySave")}
                </a>
              ) : (
                <Button
                  type="button"
                  className="button primary"
                  busy={fetchFile.isPending}
                  onClick={() => fetchFile.mutate(latest.id)}>
                  {own("account.copyFetch")}
                </Button>
              )}
            </p>
          </>
        )}
        {copy.isSuccess && latest?.state !== "running" && (
          <p>
            <Button type="button" busy={ask.isPending} onClick={() => ask.mutate(undefined)}>
              {own("account.copyAsk")}
            </Button>
          </p>
        )}
      </div>
    </section>
  );
};

const Leave = () => {
  const account = useAccount();
  const orders = useOrders(1);
  const [asked, setAsked] = useState(false);
  const [at, setAt] = useState<string | null>(null);
  const { faults, form, check } = useFaults<"username">();
  const leave = useProved({
    mutationFn: (username: string) => data(api.POST("/auth/account/deletion", { body: { username } })),
    onSuccess: (planned) => setAt(planned.at),
  });
  if (!account.data) return null;
  const { deletionDays: days, user } = account.data;
  const running = orders.data?.orders.filter((one) => one.renews) ?? [];
  const send = (e: FormEvent<HTMLFormElement>) => {
    e.preventDefault();
    const username = String(new FormData(e.currentTarget).get("username"));
    const fault = !username ? t("required") : username === user.username ? null : own("account.leaveOther");
    if (check(fault ? { username: fault } : {}) && !leave.isPending) leave.mutate(username);
  };
  return (
    <section aria-labelledby="leave">
      <h2 id="leave">{own("account.leave")}</h2>
      {at ? (
        <>
          <Told>{own(days > 0 ? "account.left" : "account.leftAtOnce")}</Told>
          <p>
            <button type="button" className="button" onClick={() => void signOut()}>
              {own("account.out")}
            </button>
          </p>
        </>
      ) : (
        <>
          <p>
            {days > 0 ? own("account.leaveHow", { days: String(days) }) : own("account.leaveAtOnce")}{" "}
            {own("account.leaveStays")}
          </p>
          {leave.proof}
          {leave.error && <Failure error={leave.error} />}
          {!asked ? (
            <p>
              <button type="button" className="button" onClick={() => setAsked(true)}>
                {own("account.leaveBegin")}
              </button>
            </p>
          ) : (
            <form className="form" ref={form} onSubmit={send} noValidate hidden={leave.proof !== null}>
              {running.length > 0 && (
                <div className="note" data-tone="warn">
                  <p>{own("account.leaveRunning")}</p>
                  <ul>
                    {running.map((one) => (
                      <li key={one.id}>
                        <a href={`/orders/${one.id}`}>
                          {one.productName}, {one.tierName}
                        </a>
                      </li>
                    ))}
                  </ul>
                </div>
              )}
              <Field
                label={own("account.leaveName", { name: user.username })}
                name="username"
                autoComplete="off"
                required
                fault={faults.username}
                autoFocus
              />
              <p className="row">
                <Button busy={leave.isPending}>{own("account.leaveSend")}</Button>
                <button type="button" className="button" onClick={() => setAsked(false)}>
                  {own("account.leaveNot")}
                </button>
              </p>
            </form>
          )}
        </>
      )}
    </section>
  );
};
