import { useId, useState, type FormEvent } from "react";
import { firstWay, triesLeft, type Challenge } from "../../api/challenge";
import { asProblem } from "../../api/problem";
import { passkeyStep, secondStep } from "../../api/entry";
import { hasPasskeys } from "../../api/passkey";
import { Failure } from "./Failure";
import { c, t } from "./text";

// Code asks for what an account wants to see besides its password.
export const Code = ({ challenge, onAgain }: { challenge: Challenge; onAgain: () => void }) => {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const [way, setWay] = useState(firstWay(challenge.methods));
  const id = useId();
  const enter = (send: () => Promise<unknown>) => {
    if (busy) return;
    setBusy(true);
    setFailure(null);
    send()
      .catch(setFailure)
      .finally(() => setBusy(false));
  };
  const submit = (e: FormEvent<HTMLFormElement>) => {
    e.preventDefault();
    const code = String(new FormData(e.currentTarget).get("code")).trim();
    if (way) enter(() => secondStep(challenge.challenge, { method: way, code }));
  };
  const refused = failure !== null && asProblem(failure).code === "SECOND_FACTOR_FAILED";
  const left = refused ? triesLeft(failure) : null;
  if (refused && left === null)
    return (
      <section>
        <p className="note" data-tone="bad" role="alert">
          {t("session.over")}
        </p>
        <button type="button" className="sign-in-go" onClick={onAgain} autoFocus>
          {t("session.again")}
        </button>
      </section>
    );
  return (
    <form onSubmit={submit}>
      <h1>{t("session.step")}</h1>
      {challenge.methods.includes("passkey") && hasPasskeys && (
        <button
          type="button"
          className={way ? "sign-in-field" : "sign-in-go"}
          aria-disabled={busy}
          onClick={() => enter(() => passkeyStep(challenge.challenge))}>
          {t("session.passkey")}
        </button>
      )}
      {way && (
        <div>
          <label htmlFor={`${id}-code`}>{t(way === "totp" ? "session.code" : "session.recovery")}</label>
          <input
            key={way}
            id={`${id}-code`}
            className="sign-in-field"
            name="code"
            inputMode={way === "totp" ? "numeric" : "text"}
            autoComplete={way === "totp" ? "one-time-code" : "off"}
            spellCheck={false}
            required
            autoFocus
            {...(left === null ? {} : { "aria-invalid": true, "aria-describedby": `${id}-fault` })}
          />
          {left !== null && (
            <p id={`${id}-fault`} className="fault" role="alert">
              {t.count("session.wrong", left)}
            </p>
          )}
        </div>
      )}
      {failure !== null && !refused && <Failure error={failure} />}
      {way && (
        <button type="submit" className="sign-in-go" aria-disabled={busy}>
          {c("signIn")}
        </button>
      )}
      {challenge.methods.includes("totp") && challenge.methods.includes("recovery") && (
        <button
          type="button"
          className="sign-in-other"
          onClick={() => {
            setFailure(null);
            setWay(way === "totp" ? "recovery" : "totp");
          }}>
          {t(way === "totp" ? "session.useRecovery" : "session.useApp")}
        </button>
      )}
      <button type="button" className="sign-in-other" onClick={onAgain}>
        {t("session.again")}
      </button>
      <p className="soft small">{t("session.lost")}</p>
    </form>
  );
};
