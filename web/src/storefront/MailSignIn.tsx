import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState, type FormEvent } from "react";
import { challengeOf, type Challenge } from "../api/challenge";
import { mailedCode, mailSignIn, signInMethods } from "../api/entry";
import { asProblem } from "../api/problem";
import { accessToken, onSignInElsewhere } from "../api/session";
import { mailed } from "./mailedText";
import { c, t } from "./text";
import { Button, Failure, Field, Head, useFaults } from "./ui";

// Asked is a mail that somebody asked for.
export interface Asked {
  email: string;
  flow: string;
}

export interface MailSignInProps {
  onAsked: (asked: Asked) => void;
}

// MailSignIn is the button for a mail to the address in the form above it.
export const MailSignIn = ({ onAsked }: MailSignInProps) => {
  const methods = useQuery({ queryKey: ["methods"], queryFn: signInMethods, staleTime: Infinity });
  const [missing, setMissing] = useState(false);
  const request = useMutation({
    mutationFn: mailSignIn,
    onSuccess: (flow, email) => onAsked({ email, flow }),
  });
  if (!methods.data?.emailLink) return null;
  const send = () => {
    const field = document.querySelector<HTMLInputElement>("main form input[name=email]");
    const email = field?.value.trim() ?? "";
    setMissing(!email);
    if (!email) field?.focus();
    else if (!request.isPending) request.mutate(email);
  };
  return (
    <>
      {missing && (
        <p className="note" data-tone="bad" role="alert">
          {mailed("mailed.noEmail")}
        </p>
      )}
      {!missing && request.error && <Failure error={request.error} />}
      <p>
        <Button type="button" busy={request.isPending} onClick={send}>
          {mailed("mailed.send")}
        </Button>
      </p>
    </>
  );
};

export interface MailedSignInProps {
  asked: Asked;
  onDone: (() => void) | undefined;
  onChallenge: (challenge: Challenge) => void;
  onAgain: () => void;
}

// MailedSignIn waits for the code of the mail, or for its link, which opens in another tab.
export const MailedSignIn = ({ asked, onDone, onChallenge, onAgain }: MailedSignInProps) => {
  const queries = useQueryClient();
  const { faults, form, check } = useFaults<"code">();
  const done = () => {
    void queries.invalidateQueries();
    onDone?.();
  };
  const entry = useMutation({
    mutationFn: (code: string) => mailedCode(asked.flow, code),
    onSuccess: done,
    onError: (error) => {
      const due = challengeOf(error);
      if (due) onChallenge(due);
      else if (asProblem(error).code === "INVALID_LINK") check({ code: mailed("mailed.wrong") });
    },
  });
  useEffect(
    () =>
      onSignInElsewhere(() => {
        void accessToken().then((token) => token && done());
      }),
    [],
  );
  const send = (e: FormEvent<HTMLFormElement>) => {
    e.preventDefault();
    const code = String(new FormData(e.currentTarget).get("code")).trim();
    if (check(code ? {} : { code: t("required") }) && !entry.isPending) entry.mutate(code);
  };
  return (
    <div className="narrow">
      <Head title={mailed("mailed.title")} />
      <p role="status">{mailed("mailed.how", { email: asked.email })}</p>
      <form className="form" ref={form} onSubmit={send} noValidate>
        <Field
          label={mailed("mailed.code")}
          hint={mailed("mailed.codeHow")}
          name="code"
          autoComplete="one-time-code"
          autoCapitalize="characters"
          spellCheck={false}
          autoFocus
          required
          fault={faults.code}
        />
        {entry.error && !["INVALID_LINK", "SECOND_FACTOR_REQUIRED"].includes(asProblem(entry.error).code) && (
          <Failure error={entry.error} />
        )}
        <p className="row">
          <Button className="button primary" busy={entry.isPending}>
            {c("signIn")}
          </Button>
          <button type="button" className="button" onClick={onAgain}>
            {mailed("mailed.again")}
          </button>
        </p>
      </form>
    </div>
  );
};
