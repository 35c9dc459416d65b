// The part of the screen of ways to sign in that is about the password.
import { useMutation } from "@tanstack/react-query";
import { useRef, useState, type FormEvent } from "react";
import { api, ok } from "../../api/client";
import { useIdentities } from "../Elsewhere";
import { own } from "../ownText";
import { useProved } from "../proof";
import { t } from "../text";
import { Button, Failure, PasswordField, Told, useFaults, useHeading } from "../ui";
import { useAccount, useRefresh } from "./data";

// Password is about the password that there is, or the first one. An account has none after a sign-in with one from
// whoever runs the shop, which works once, or if it was made with an account elsewhere.
export const Password = () => {
  const account = useAccount();
  const linked = useIdentities();
  const [told, setTold] = useState<"saved" | "removed" | null>(null);
  const { heading, toHeading } = useHeading();
  // Which of the two forms it is must be known first: another in its place would lose what was typed.
  if (!account.data || linked.isPending) return null;
  const has = account.data.hasPassword;
  return (
    <section aria-labelledby="password">
      <h2 id="password" ref={heading} tabIndex={-1}>
        {own(has ? "account.password" : "account.first")}
      </h2>
      {has ? (
        <Change />
      ) : (
        <First
          elsewhere={linked.data?.items.some((one) => one.enabled) === true}
          onSaved={() => {
            setTold("saved");
            toHeading();
          }}
        />
      )}
      {account.data.passwordRemovable && (
        <Removal
          onRemoved={() => {
            setTold("removed");
            toHeading();
          }}
        />
      )}
      <Told>{told && own(`account.${told}`)}</Told>
    </section>
  );
};

const Removal = ({ onRemoved }: { onRemoved: () => void }) => {
  const refresh = useRefresh();
  const [asked, setAsked] = useState(false);
  const remove = useProved({
    mutationFn: () => ok(api.DELETE("/auth/password")),
    onSuccess: async () => {
      await refresh();
      onRemoved();
    },
  });
  if (!asked)
    return (
      <p>
        <button type="button" className="button" onClick={() => setAsked(true)}>
          {own("account.removePassword")}
        </button>
      </p>
    );
  return (
    <>
      {remove.error && <Failure error={remove.error} />}
      {remove.proof}
      <div hidden={remove.proof !== null}>
        <p>{own("account.removeWarning")}</p>
        <p className="row">
          <Button type="button" busy={remove.isPending} onClick={() => remove.mutate(undefined)}>
            {own("account.removePassword")}
          </Button>
          <button type="button" className="button" onClick={() => setAsked(false)} autoFocus>
            {own("account.keepPassword")}
          </button>
        </p>
      </div>
    </>
  );
};

const First = ({ elsewhere, onSaved }: { elsewhere: boolean; onSaved: () => void }) => {
  const refresh = useRefresh();
  const passkeys = (useAccount().data?.secondFactor.passkeys ?? 0) > 0;
  const { faults, form, check } = useFaults<"next">();
  const set = useProved({
    mutationFn: (newPassword: string) => ok(api.POST("/auth/password", { body: { newPassword } })),
    onSuccess: async () => {
      await refresh();
      onSaved();
    },
  });
  const send = (e: FormEvent<HTMLFormElement>) => {
    e.preventDefault();
    const next = String(new FormData(e.currentTarget).get("next"));
    if (check(next ? {} : { next: t("required") }) && !set.isPending) set.mutate(next);
  };
  return (
    <>
      {passkeys || elsewhere ? (
        <p>{own(elsewhere ? "account.firstElsewhere" : "account.firstPasskey")}</p>
      ) : (
        <p className="note" data-tone="warn">
          {own("account.firstHow")}
        </p>
      )}
      {set.proof}
      <form className="form" ref={form} onSubmit={send} noValidate hidden={set.proof !== null}>
        <PasswordField label={own("account.next")} name="next" autoComplete="new-password" fault={faults.next} />
        {set.error && <Failure error={set.error} />}
        <p>
          <Button className="button primary" busy={set.isPending}>
            {own("account.first")}
          </Button>
        </p>
      </form>
    </>
  );
};

const Change = () => {
  const account = useAccount();
  const refresh = useRefresh();
  const { faults, form, check } = useFaults<"current" | "next">();
  const fields = useRef<HTMLFormElement | null>(null);
  const change = useMutation({
    mutationFn: (body: { currentPassword: string; newPassword: string }) =>
      ok(api.POST("/auth/change-password", { body })),
    onSuccess: () => {
      fields.current?.reset();
      return refresh();
    },
  });
  const send = (e: FormEvent<HTMLFormElement>) => {
    e.preventDefault();
    fields.current = e.currentTarget;
    const values = new FormData(e.currentTarget);
    const [current, next] = [String(values.get("current")), String(values.get("next"))];
    const found = { ...(current ? {} : { current: t("required") }), ...(next ? {} : { next: t("required") }) };
    if (check(found) && !change.isPending) change.mutate({ currentPassword: current, newPassword: next });
  };
  return (
    <form className="form" ref={form} onSubmit={send} noValidate>
      {account.data?.passwordBreached && (
        <p className="note" data-tone="warn">
          {own("account.breached")}
        </p>
      )}
      <PasswordField
        label={own("account.current")}
        name="current"
        autoComplete="current-password"
        fault={faults.current}
      />
      <PasswordField label={own("account.next")} name="next" autoComplete="new-password" fault={faults.next} />
      {change.error && <Failure error={change.error} />}
      <Told>{change.isSuccess && own("account.saved")}</Told>
      <p>
        <Button busy={change.isPending}>{own("account.save")}</Button>
      </p>
    </form>
  );
};
