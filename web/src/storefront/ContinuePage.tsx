// Where people come back to from an identity provider. The browser keeps the way in a cookie.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState, type FormEvent, type ReactNode } from "react";
import { asProblem } from "../api/problem";
import { complete, dueOf, proveMailbox, type Due, type Form } from "../api/provider";
import { begin } from "../api/session";
import { useSession } from "../api/useSession";
import { there } from "./elsewhereText";
import { go, pathOf, within } from "./router";
import { SecondStep } from "./SecondStep";
import { sign } from "./signInText";
import { c, t } from "./text";
import { Button, Failure, Field, Head, useFaults, Waiting } from "./ui";

export const ContinuePage = () => {
  const query = new URLSearchParams(location.search);
  const failed = query.get("failed");
  return failed === null ? <Arrived to={within(query.get("to"))} /> : <Over code={failed} to="/account/sign-in" />;
};

type Answer = Form | { code: string };

const Arrived = ({ to }: { to: string }) => {
  const queries = useQueryClient();
  const [due, setDue] = useState<Due | null>(null);
  const [address, setAddress] = useState(""); // to which a code was mailed
  const [proven, setProven] = useState(false); // it came back
  const [refused, setRefused] = useState(false); // no code is mailed to the address, or nobody gets an account by it
  const done = () => {
    void queries.invalidateQueries();
    go(to, true);
  };
  const way = useMutation({
    mutationFn: (answer: Answer) => ("code" in answer ? proveMailbox(answer.code) : complete(answer)),
    onSuccess: (ended) => {
      if ("access_token" in ended) {
        history.replaceState(null, "", to); // should somebody else have been signed in here, the page is loaded again
        begin(ended);
      }
      done();
    },
    onError: (error, answer) => {
      const next = dueOf(error);
      if (!next) return;
      setProven("code" in answer);
      setRefused(!next.sent && ("code" in answer || "email" in answer));
      if ("email" in answer) setAddress(answer.email ?? "");
      setDue(next);
    },
  });
  useEffect(() => way.mutate({}), []);
  const answer = (next: Answer) => !way.isPending && way.mutate(next);
  if (!due)
    return way.error ? (
      <div className="narrow">
        <Head title={there("elsewhere.failed")} />
        <Failure error={way.error} retry={() => answer({})} />
      </div>
    ) : (
      <Waiting like="page" />
    );
  const step = { busy: way.isPending, error: way.error && !dueOf(way.error) ? way.error : null, answer };
  switch (due.code) {
    case "SECOND_FACTOR_REQUIRED":
      if (!due.challenge) break;
      return <SecondStep challenge={due.challenge} onDone={done} onAgain={() => go(signInFor(to), true)} />;
    case "EMAIL_PROOF_REQUIRED":
    case "LINK_REQUIRED":
      if (due.sent)
        return (
          <Code
            {...step}
            how={
              due.code === "LINK_REQUIRED"
                ? there("elsewhere.mailedOwner")
                : there("elsewhere.mailedHow", { email: address })
            }
            onMore={() => {
              way.reset();
              setRefused(false);
              setDue({ ...due, sent: false });
            }}
          />
        );
      if (due.code === "LINK_REQUIRED") return <Link {...step} ways={due.ways} proven={proven} />;
      return <Address {...step} suggested={due.suggested || address} refused={refused} />;
    case "USERNAME_REQUIRED":
      return <Username {...step} suggested={address} />;
  }
  return <Over code={due.code} to={to} />;
};

// signInFor is the sign-in page that leads to an address of this site.
const signInFor = (to: string) => `/sign-in?next=${encodeURIComponent(pathOf(to))}`;

interface StepProps {
  busy: boolean;
  error: Error | null;
  answer: (next: Answer) => void;
}

interface AskProps extends StepProps {
  title: string;
  how: string;
  go: string; // on the button
  read: (typed: string) => Answer;
  fault?: string | undefined; // of the field, from the server
  field: { label: string; hint?: string; type?: string; autoComplete: string; defaultValue?: string };
  children?: ReactNode; // beside the button
}

// Ask is a step with one field.
const Ask = ({ title, how, go, read, fault, field, busy, error, answer, children }: AskProps) => {
  const { faults, form, check } = useFaults<"value">();
  const send = (e: FormEvent<HTMLFormElement>) => {
    e.preventDefault();
    const typed = String(new FormData(e.currentTarget).get("value")).trim();
    if (check(typed ? {} : { value: t("required") })) answer(read(typed));
  };
  return (
    <div className="narrow">
      <Head title={title} />
      <p className="soft">{how}</p>
      <form className="form" ref={form} onSubmit={send} noValidate>
        <Field
          {...field}
          name="value"
          autoCapitalize="none"
          spellCheck={false}
          autoFocus
          required
          fault={faults.value ?? fault}
        />
        {error && !fault && <Failure error={error} />}
        <p className="row">
          <Button className="button primary" busy={busy}>
            {go}
          </Button>
          {children}
        </p>
      </form>
    </div>
  );
};

const Address = ({ suggested, refused, ...step }: StepProps & { suggested: string; refused: boolean }) => (
  <Ask
    {...step}
    key="address"
    title={there("elsewhere.address")}
    how={there("elsewhere.addressHow")}
    go={there("elsewhere.send")}
    read={(email) => ({ email })}
    fault={refused && !step.error ? there("elsewhere.addressRefused") : undefined}
    field={{ label: c("email"), type: "email", autoComplete: "email", defaultValue: suggested }}
  />
);

const Code = ({ how, onMore, ...step }: StepProps & { how: string; onMore: () => void }) => (
  <Ask
    {...step}
    key="code"
    title={there("elsewhere.mailed")}
    how={how}
    go={there("elsewhere.confirm")}
    read={(code) => ({ code })}
    field={{ label: there("elsewhere.code"), hint: there("elsewhere.codeHow"), autoComplete: "one-time-code" }}>
    <button type="button" className="button" onClick={onMore}>
      {there("elsewhere.more")}
    </button>
  </Ask>
);

// Usernames as the server takes them.
const username = /^[\p{L}\p{N}._-]{3,64}$/u;

const Username = ({ suggested, ...step }: StepProps & { suggested: string }) => {
  const name = suggested.split("@")[0] ?? "";
  const taken = step.error !== null && asProblem(step.error).code === "REGISTRATION_FAILED";
  return (
    <Ask
      {...step}
      key="username"
      title={there("elsewhere.username")}
      how={there("elsewhere.usernameHow")}
      go={sign("signIn.create")}
      read={(typed) => ({ username: typed })}
      fault={taken ? sign("signIn.taken") : undefined}
      field={{
        label: sign("signIn.username"),
        autoComplete: "nickname",
        defaultValue: username.test(name) ? name : "",
      }}
    />
  );
};

const Link = ({ ways, proven, busy, error, answer }: StepProps & { ways: string[]; proven: boolean }) => {
  const byMail = ways.includes("mailbox");
  return (
    <div className="narrow">
      <Head title={there("elsewhere.link")} />
      <p role="alert">{there("elsewhere.linkHow")}</p>
      <ul>
        <li>{there("elsewhere.linkThere")}</li>
        {byMail && <li>{there(proven ? "elsewhere.linkProven" : "elsewhere.linkByMail")}</li>}
      </ul>
      {error && <Failure error={error} />}
      <p className="row">
        <a className="button primary" href="/sign-in?next=/account/sign-in">
          {there("elsewhere.linkSignIn")}
        </a>
        {byMail && (
          <Button type="button" busy={busy} onClick={() => answer({ link: true })}>
            {there(proven ? "elsewhere.linkNow" : "elsewhere.send")}
          </Button>
        )}
      </p>
    </div>
  );
};

// ends are the refusals that have words of their own.
const ends = [
  "FLOW_INVALID",
  "PROVIDER_REFUSED",
  "SIGN_UP_CLOSED",
  "STAFF_METHOD",
  "IDENTITY_TAKEN",
  "LOGIN_FAILED",
  "TOO_MANY",
  "REAUTHENTICATION_FAILED",
  "REAUTHENTICATION_REQUIRED",
  "EMAIL_UNVERIFIED",
] as const;

// Over says why the way has led to nothing, and where to go on.
const Over = ({ code, to }: { code: string; to: string }) => {
  const session = useSession();
  return (
    <div className="narrow">
      <Head title={there("elsewhere.failed")} />
      <p role="alert">{there(`elsewhere.ends.${ends.find((one) => one === code) ?? "other"}`)}</p>
      <p>
        <a className="button primary" href={session ? to : signInFor(to)}>
          {session ? there("elsewhere.back") : c("signIn")}
        </a>
      </p>
    </div>
  );
};
