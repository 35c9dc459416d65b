// The screen of the account that is about who somebody is: the address, whether it is confirmed, and another one; and
// what they bought before they had the account.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent } from "react";
import { api, ok, type Schemas } from "../../api/client";
import { useSession } from "../../api/useSession";
import { own } from "../ownText";
import { t } from "../text";
import { accountKey, useAccount } from "./data";
import { useProved } from "../proof";
import { Badge, Button, Failure, Field, Told, useFaults } from "../ui";

export const Profile = () => {
  const session = useSession();
  const account = useAccount();
  const user = account.data?.user ?? session?.user;
  return (
    <>
      <dl className="summary">
        <div>
          <dt>{own("account.email")}</dt>
          <dd>
            {user?.email}{" "}
            {account.data && (
              <Badge tone={account.data.emailVerified ? "good" : "warn"}>
                {own(account.data.emailVerified ? "account.proven" : "account.unproven")}
              </Badge>
            )}
          </dd>
        </div>
        <div>
          <dt>{own("account.username")}</dt>
          <dd>{user?.username}</dd>
        </div>
      </dl>
      {account.isError && <Failure error={account.error} retry={() => void account.refetch()} />}
      {account.data && !account.data.emailVerified && <Verify email={account.data.user.email} />}
      {account.data && <Change account={account.data} />}
      <Claim />
    </>
  );
};

const Verify = ({ email }: { email: string }) => {
  const ask = useMutation({ mutationFn: () => ok(api.POST("/auth/email/verification")) });
  return (
    <>
      <p>{own("account.verify", { email })}</p>
      {ask.error && <Failure error={ask.error} />}
      <Told>{ask.isSuccess && own("account.verifySent")}</Told>
      <p>
        <Button type="button" busy={ask.isPending} onClick={() => ask.mutate()}>
          {own("account.verifySend")}
        </Button>
      </p>
    </>
  );
};

const Change = ({ account }: { account: Schemas["Account"] }) => {
  const queries = useQueryClient();
  const { faults, form, check } = useFaults<"email">();
  const refresh = () => queries.invalidateQueries({ queryKey: accountKey });
  const change = useProved({
    mutationFn: (newEmail: string) => ok(api.POST("/auth/email/change", { body: { newEmail } })),
    onSuccess: () => {
      form.current?.reset();
      return refresh();
    },
  });
  const keep = useMutation({ mutationFn: () => ok(api.DELETE("/auth/email/change")), onSuccess: refresh });
  const send = (e: FormEvent<HTMLFormElement>) => {
    e.preventDefault();
    const email = String(new FormData(e.currentTarget).get("email")).trim();
    if (check(email ? {} : { email: t("required") }) && !change.isPending) change.mutate(email);
  };
  return (
    <section aria-labelledby="change-email">
      <h2 id="change-email">{own("account.changeEmail")}</h2>
      {account.pendingEmail && (
        <div className="row">
          <p>{own("account.pending", { email: account.pendingEmail })}</p>
          <Button type="button" className="button slim" busy={keep.isPending} onClick={() => keep.mutate()}>
            {own("account.keep")}
          </Button>
        </div>
      )}
      {keep.error && <Failure error={keep.error} />}
      {change.proof}
      <form className="form" ref={form} onSubmit={send} noValidate hidden={change.proof !== null}>
        <Field
          label={own("account.newEmail")}
          hint={own("account.changeEmailHow")}
          name="email"
          type="email"
          autoComplete="email"
          required
          fault={faults.email}
        />
        {change.error && <Failure error={change.error} />}
        <Told>
          {change.isSuccess && account.pendingEmail
            ? own("account.changeEmailSent")
            : keep.isSuccess && !account.pendingEmail && own("account.kept")}
        </Told>
        <p>
          <Button busy={change.isPending}>{own("account.changeEmailSend")}</Button>
        </p>
      </form>
    </section>
  );
};

const Claim = () => {
  const claim = useMutation({ mutationFn: () => ok(api.POST("/api/marketplace/orders/claim-request")) });
  return (
    <section className="prose" aria-labelledby="claim">
      <h2 id="claim">{own("account.claim")}</h2>
      <p className="soft">{own("account.claimHow")}</p>
      {claim.error && <Failure error={claim.error} />}
      <Told>{claim.isSuccess && own("account.claimSent")}</Told>
      <p>
        <Button type="button" busy={claim.isPending} onClick={() => claim.mutate()}>
          {own("account.claimSend")}
        </Button>
      </p>
    </section>
  );
};
