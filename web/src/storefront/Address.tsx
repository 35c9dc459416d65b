// The part of the account page that is about the user's address: whether it is confirmed, and another one.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { api, data, ok, type Schemas } from "../api/client";
import { asProblem } from "../api/problem";
import { useSession } from "../api/useSession";
import { own } from "./ownText";
import { t } from "./text";
import { Badge, Button, Failure, Field, PasswordField, Told, useFaults } from "./ui";

const key = ["account"];

export const Profile = () => {
  const session = useSession();
  const account = useQuery({ queryKey: key, queryFn: () => data(api.GET("/auth/account")) });
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

// Change asks for the password only if the server wants to know that its user is still there.
const Change = ({ account }: { account: Schemas["Account"] }) => {
  const queries = useQueryClient();
  const { faults, form, check } = useFaults<"email" | "password">();
  const [again, setAgain] = useState(false);
  const refresh = () => queries.invalidateQueries({ queryKey: key });
  const change = useMutation({
    mutationFn: async ({ email, password }: { email: string; password: string }) => {
      if (password) await ok(api.POST("/auth/reauthenticate", { body: { password } }));
      return ok(api.POST("/auth/email/change", { body: { newEmail: email } }));
    },
    onSuccess: () => {
      setAgain(false);
      form.current?.reset();
      return refresh();
    },
    onError: (error) => setAgain((was) => was || asProblem(error).code === "REAUTHENTICATION_REQUIRED"),
  });
  const keep = useMutation({ mutationFn: () => ok(api.DELETE("/auth/email/change")), onSuccess: refresh });
  const send = (e: FormEvent<HTMLFormElement>) => {
    e.preventDefault();
    const values = new FormData(e.currentTarget);
    const [email, password] = [String(values.get("email")).trim(), String(values.get("password") ?? "")];
    const found = {
      ...(email ? {} : { email: t("required") }),
      ...(again && !password ? { password: t("required") } : {}),
    };
    if (check(found) && !change.isPending) change.mutate({ email, password });
  };
  const asked = change.error && asProblem(change.error).code === "REAUTHENTICATION_REQUIRED";
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
      <form className="form" ref={form} onSubmit={send} noValidate>
        <Field
          label={own("account.newEmail")}
          hint={own("account.changeEmailHow")}
          name="email"
          type="email"
          autoComplete="email"
          required
          fault={faults.email}
        />
        {again && (
          <PasswordField
            label={own("account.again")}
            name="password"
            autoComplete="current-password"
            fault={faults.password}
          />
        )}
        {change.error && !asked && <Failure error={change.error} />}
        <Told>
          {change.isSuccess && account.pendingEmail
            ? own("account.changeEmailSent")
            : keep.isSuccess && !account.pendingEmail && own("account.kept")}
        </Told>
        <p>
          <Button busy={change.isPending}>{own(again ? "account.againSend" : "account.changeEmailSend")}</Button>
        </p>
      </form>
    </section>
  );
};
