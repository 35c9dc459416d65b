import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Suspense, useState, type FormEvent } from "react";
import { challengeOf, type Challenge } from "../api/challenge";
import type { Schemas } from "../api/client";
import { Problem } from "../api/problem";
import { register, signIn } from "../api/session";
import { useSession } from "../api/useSession";
import { useShop } from "./data";
import type { ProviderSignInProps } from "./Elsewhere";
import { later } from "./later";
import type { Asked, MailedSignInProps, MailSignInProps } from "./MailSignIn";
import { offerPasskey } from "./offer";
import type { PasskeySignInProps } from "./PasskeySignIn";
import { go, pathOf, within } from "./router";
import type { SecondStepProps } from "./SecondStep";
import { sign } from "./signInText";
import { c, t } from "./text";
import { Button, Failure, Field, Head, PasswordField, useFaults, Waiting } from "./ui";

const MailSignIn = later<MailSignInProps>(() => import("./MailSignIn"), "MailSignIn");
const MailedSignIn = later<MailedSignInProps>(() => import("./MailSignIn"), "MailedSignIn");
const PasskeySignIn = later<PasskeySignInProps>(() => import("./PasskeySignIn"), "PasskeySignIn");
const ProviderSignIn = later<ProviderSignInProps>(() => import("./Elsewhere"), "ProviderSignIn");
const SecondStep = later<SecondStepProps>(() => import("./SecondStep"), "SecondStep");

export const SignInPage = () => {
  const session = useSession();
  const next = within(new URLSearchParams(location.search).get("next"));
  if (!session) return <SignIn next={next} onDone={() => go(next, true)} />;
  return (
    <div className="narrow">
      <Head title={sign("signIn.title")} />
      <p>{sign("signIn.signedIn", { email: session.user.email })}</p>
      <p>
        <a className="button primary" href={next}>
          {sign("signIn.continue")}
        </a>
      </p>
    </div>
  );
};

export interface SignInProps {
  next?: string; // where to, for whoever comes back from elsewhere; this page if there is none
  onDone?: () => void;
  ended?: boolean;
}

// SignIn stands in for a page that needs a user, and makes way for it.
export const SignIn = ({ next, onDone, ended = false }: SignInProps) => {
  const [isNew, setNew] = useState(false);
  const [known, setKnown] = useState("");
  const [challenge, setChallenge] = useState<Challenge | null>(null);
  const [mailed, setMailed] = useState<Asked | null>(null);
  const mode = useShop().data?.registration.mode ?? "open";
  if (challenge)
    return (
      <Suspense fallback={<Waiting />}>
        <SecondStep challenge={challenge} onDone={onDone} onAgain={() => setChallenge(null)} />
      </Suspense>
    );
  if (mailed)
    return (
      <Suspense fallback={<Waiting />}>
        <MailedSignIn
          asked={mailed}
          onDone={onDone}
          onChallenge={(due) => {
            setMailed(null);
            setChallenge(due);
          }}
          onAgain={() => {
            setKnown(mailed.email);
            setMailed(null);
          }}
        />
      </Suspense>
    );
  return (
    <div className="narrow">
      <Head title={sign(isNew ? "signIn.register" : "signIn.title")} />
      <p className="soft" role={ended ? "alert" : undefined}>
        {sign(ended ? "signIn.ended" : isNew ? "signIn.registerWhy" : "signIn.why")}
      </p>
      <Form
        key={String(isNew)}
        isNew={isNew}
        known={known}
        onKnown={(email) => {
          setKnown(email);
          setNew(false);
        }}
        onDone={onDone}
        onChallenge={setChallenge}
      />
      <p className="row">
        {mode !== "closed" && <span className="soft">{sign(isNew ? "signIn.already" : "signIn.newHere")}</span>}
        {mode === "open" && (
          <button type="button" className="button slim" onClick={() => setNew(!isNew)}>
            {sign(isNew ? "signIn.title" : "signIn.create")}
          </button>
        )}
        {mode === "mail-first" && (
          <a className="button slim" href="/register">
            {sign("signIn.create")}
          </a>
        )}
        {!isNew && <a href="/reset-password">{sign("signIn.forgot")}</a>}
      </p>
      <Suspense>
        {!isNew && <PasskeySignIn onDone={onDone} />}
        {!isNew && <MailSignIn onAsked={setMailed} />}
        <ProviderSignIn returnTo={next && pathOf(next)} />
      </Suspense>
    </div>
  );
};

interface FormProps {
  isNew: boolean;
  known: string; // the address of somebody who has an account already
  onKnown: (email: string) => void;
  onDone: (() => void) | undefined;
  onChallenge: (challenge: Challenge | null) => void;
}

// rulesOf puts into the page's language what a new password must be. The API says it in English, in a second sentence
// where more than the length counts.
const rulesOf = ({ minPasswordLength: n, passwordRules }: Schemas["ShopSettings"]["registration"]) =>
  sign(passwordRules === `At least ${n} characters.` ? "signIn.rules" : "signIn.rulesCommon", { n });

const Form = ({ isNew, known, onKnown, onDone, onChallenge }: FormProps) => {
  const queries = useQueryClient();
  const rules = useShop().data?.registration;
  const { faults, form, check } = useFaults<"email" | "username" | "password">();
  const entry = useMutation({
    mutationFn: ({ email, username, password }: Record<"email" | "username" | "password", string>) =>
      isNew ? register(email, username, password) : signIn(email, password),
    onSuccess: () => {
      void queries.invalidateQueries();
      onDone?.();
    },
    onError: (error) => onChallenge(challengeOf(error)),
  });
  const send = (e: FormEvent<HTMLFormElement>) => {
    e.preventDefault();
    const values = new FormData(e.currentTarget);
    const text = (name: string) => String(values.get(name) ?? "");
    const filled = { email: text("email").trim(), username: text("username").trim(), password: text("password") };
    const needed = isNew ? (["email", "username", "password"] as const) : (["email", "password"] as const);
    const found = Object.fromEntries(needed.filter((name) => !filled[name]).map((name) => [name, t("required")]));
    if (!check(found) || entry.isPending) return;
    offerPasskey(); // the session is told of before the answer is
    entry.mutate(filled);
  };
  const refused = entry.error instanceof Problem && entry.error.code === "LOGIN_FAILED";
  const taken = entry.error instanceof Problem && entry.error.code === "REGISTRATION_FAILED";
  return (
    <form className="form" ref={form} onSubmit={send} noValidate>
      <Field
        label={c("email")}
        name="email"
        type="email"
        autoComplete={isNew ? "username" : "username webauthn"}
        autoCapitalize="none"
        spellCheck={false}
        required
        defaultValue={known}
        fault={faults.email}
      />
      {isNew && (
        <Field
          label={sign("signIn.username")}
          name="username"
          autoComplete="nickname"
          autoCapitalize="none"
          spellCheck={false}
          required
          fault={faults.username}
        />
      )}
      <PasswordField
        label={c("password")}
        name="password"
        autoComplete={isNew ? "new-password" : "current-password"}
        hint={isNew && rules ? rulesOf(rules) : ""}
        fault={faults.password}
      />
      {entry.error &&
        (refused ? (
          <p className="note" data-tone="bad" role="alert">
            {sign("signIn.failed")}
          </p>
        ) : taken ? (
          <Taken email={entry.variables?.email ?? ""} onKnown={onKnown} />
        ) : (
          <Failure error={entry.error} />
        ))}
      <p>
        <Button className="button primary" busy={entry.isPending}>
          {sign(isNew ? "signIn.create" : "signIn.title")}
        </Button>
      </p>
    </form>
  );
};

// Taken leads whoever has an account already into it. Which of the two is taken, the shop does not say.
const Taken = ({ email, onKnown }: { email: string; onKnown: (email: string) => void }) => (
  <div className="note" data-tone="bad" role="alert">
    <p>{sign("signIn.taken")}</p>
    <p>{sign("signIn.takenHow")}</p>
    <div className="row">
      <button type="button" className="button slim" onClick={() => onKnown(email)}>
        {sign("signIn.takenSignIn", { email })}
      </button>
      <a href="/reset-password">{sign("signIn.takenReset")}</a>
    </div>
  </div>
);
