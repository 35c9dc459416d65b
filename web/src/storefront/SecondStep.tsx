import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { firstWay, triesLeft, type Challenge, type Way } from "../api/challenge";
import { asProblem } from "../api/problem";
import { passkeyStep, secondStep } from "../api/entry";
import { ByPasskey, Code, Unproven } from "./code";
import { step } from "./stepText";
import { c, t } from "./text";
import { Button, Head, useFaults } from "./ui";

export interface SecondStepProps {
  challenge: Challenge;
  onDone: (() => void) | undefined;
  onAgain: () => void; // back to the password
}

// SecondStep asks for what an account wants to see besides its password.
export const SecondStep = ({ challenge, onDone, onAgain }: SecondStepProps) => {
  const queries = useQueryClient();
  const { faults, form, check } = useFaults<"code">();
  const [way, setWay] = useState(firstWay(challenge.methods));
  const entry = useMutation({
    mutationFn: (answer: { way: Way; code: string } | "passkey") =>
      answer === "passkey"
        ? passkeyStep(challenge.challenge)
        : secondStep(challenge.challenge, { method: answer.way, code: answer.code }),
    onSuccess: () => {
      void queries.invalidateQueries();
      onDone?.();
    },
    onError: (error) => {
      const left = triesLeft(error);
      if (left !== null) check({ code: step.count("step.wrong", left) });
    },
  });
  const send = (e: FormEvent<HTMLFormElement>) => {
    e.preventDefault();
    const code = String(new FormData(e.currentTarget).get("code")).trim();
    if (check(code ? {} : { code: t("required") }) && way && !entry.isPending) entry.mutate({ way, code });
  };
  const over = entry.error && asProblem(entry.error).code === "SECOND_FACTOR_FAILED" && triesLeft(entry.error) === null;
  if (over)
    return (
      <div className="narrow">
        <Head title={step("step.title")} />
        <p role="alert">{step("step.over")}</p>
        <p>
          <button type="button" className="button primary" onClick={onAgain} autoFocus>
            {step("step.again")}
          </button>
        </p>
      </div>
    );
  return (
    <div className="narrow">
      <Head title={step("step.title")} />
      <ByPasskey methods={challenge.methods} busy={entry.isPending} onClick={() => entry.mutate("passkey")} />
      <form className="form" ref={form} onSubmit={send} noValidate>
        {way && (
          <Code
            methods={challenge.methods}
            way={way}
            onWay={(next) => {
              check({});
              setWay(next);
            }}
            fault={faults.code}
          />
        )}
        {entry.error && (!way || triesLeft(entry.error) === null) && <Unproven error={entry.error} />}
        <p className="row">
          {way && (
            <Button className="button primary" busy={entry.isPending}>
              {c("signIn")}
            </Button>
          )}
          <button type="button" className="button" onClick={onAgain}>
            {step("step.again")}
          </button>
        </p>
      </form>
      <details>
        <summary>{step("step.lost")}</summary>
        <p className="soft">{step("step.lostHow")}</p>
      </details>
    </div>
  );
};
