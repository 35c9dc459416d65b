// The sign-in page. It is made of plain elements, for it is what a guest waits for.
import { useEffect, useId, useState, type FormEvent } from "react";
import { challengeOf, type Challenge } from "../../api/challenge";
import { asProblem } from "../../api/problem";
import { signIn } from "../../api/session";
import { Code } from "./Code";
import { Failure } from "./Failure";
import { Passkey } from "./Passkey";
import { c, t } from "./text";
import "./door.css";

// SignIn stands in place of the console for guests. The page they came for follows it.
export const SignIn = ({ ended = false }: { ended?: boolean }) => {
  const [challenge, setChallenge] = useState<Challenge | null>(null);
  useTitle(t("session.title"));
  return (
    <main className="sign-in">
      {challenge ? (
        <Code challenge={challenge} onAgain={() => setChallenge(null)} />
      ) : (
        <div className="sign-in-ways">
          <Password ended={ended} onChallenge={setChallenge} />
          <Passkey />
        </div>
      )}
    </main>
  );
};

const Password = ({ ended, onChallenge }: { ended: boolean; onChallenge: (challenge: Challenge | null) => void }) => {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const [shown, setShown] = useState(false);
  const id = useId();
  const submit = (e: FormEvent<HTMLFormElement>) => {
    e.preventDefault();
    if (busy) return;
    const typed = new FormData(e.currentTarget);
    setBusy(true);
    setFailure(null);
    signIn(String(typed.get("email")), String(typed.get("password")))
      .catch((error: unknown) => {
        setFailure(error);
        onChallenge(challengeOf(error));
      })
      .finally(() => setBusy(false));
  };
  const wrong = failure !== null && asProblem(failure).code === "LOGIN_FAILED";
  return (
    <form onSubmit={submit}>
      <h1>{t("session.title")}</h1>
      {ended && failure === null && (
        <p className="note" role="status">
          {t("session.ended")}
        </p>
      )}
      <div>
        <label htmlFor={`${id}-email`}>{c("email")}</label>
        <input
          id={`${id}-email`}
          className="sign-in-field"
          name="email"
          type="email"
          autoComplete="username webauthn"
          required
          data-autofocus
          autoFocus
        />
      </div>
      <div>
        <label htmlFor={`${id}-password`}>{c("password")}</label>
        <input
          id={`${id}-password`}
          className="sign-in-field"
          name="password"
          type={shown ? "text" : "password"}
          autoComplete="current-password"
          required
          {...(wrong ? { "aria-invalid": true, "aria-describedby": `${id}-fault` } : {})}
        />
        {wrong && (
          <p id={`${id}-fault`} className="fault" role="alert">
            {t("session.failed")}
          </p>
        )}
        <label className="sign-in-show">
          <input type="checkbox" checked={shown} onChange={(e) => setShown(e.target.checked)} /> {c("showPassword")}
        </label>
      </div>
      {failure !== null && !wrong && <Failure error={failure} />}
      <button type="submit" className="sign-in-go" aria-disabled={busy}>
        {c("signIn")}
      </button>
      <a href="/reset-password">{t("session.forgot")}</a>
    </form>
  );
};

// useTitle names the document for as long as the page is shown.
const useTitle = (title: string) =>
  useEffect(() => {
    const before = document.title;
    document.title = title;
    return () => {
      document.title = before;
    };
  }, [title]);
