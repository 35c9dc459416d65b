// Proving to be there: what changes who gets into an account wants to know that its user
// still sits here, and not somebody who found the page open.
import { useMutation, type UseMutationOptions } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { firstWay } from "../api/challenge";
import { mailProof, prove, waysToProve, type ProofWay } from "../api/proof";
import { ByPasskey, Code, Unproven } from "./code";
import { ByProvider } from "./Elsewhere";
import { there } from "./elsewhereText";
import { own } from "./ownText";
import { c, t } from "./text";
import { Button, Failure, Field, PasswordField, useFaults } from "./ui";

class Refused extends Error {}

interface Asked {
  methods: string[];
  answer: (proven: boolean) => void;
}

// useProved is useMutation for an action that may need a proof. While it is asked for, proof
// is its form, which stands in for what began the action. Whoever does not give it, has
// changed nothing.
export const useProved = <Result, Input = void>(options: UseMutationOptions<Result, Error, Input>) => {
  const { mutationFn, ...rest } = options;
  const [asked, setAsked] = useState<Asked | null>(null);
  const action = useMutation<Result, Error, Input>({
    ...rest,
    mutationFn: async (input, context) => {
      for (;;) {
        try {
          return await (mutationFn as NonNullable<typeof mutationFn>)(input, context);
        } catch (error) {
          const methods = waysToProve(error);
          if (!methods) throw error;
          const proven = await new Promise<boolean>((answer) => setAsked({ methods, answer }));
          setAsked(null);
          if (!proven) throw new Refused();
        }
      }
    },
  });
  const error = action.error instanceof Refused ? null : action.error;
  return { ...action, error, proof: asked && <Proof {...asked} /> };
};

const Proof = ({ methods, answer }: Asked) => {
  const { faults, form, check } = useFaults<"password" | "code">();
  const [way, setWay] = useState<ProofWay | null>(firstWay(methods));
  const byPassword = methods.includes("password");
  const byProvider = methods.includes("provider");
  const proving = useMutation({ mutationFn: prove, onSuccess: () => answer(true) });
  const mailing = useMutation({
    mutationFn: mailProof,
    onSuccess: () => {
      proving.reset();
      setWay("email");
    },
  });
  const send = (e: FormEvent<HTMLFormElement>) => {
    e.preventDefault();
    const name = byPassword ? "password" : "code";
    const typed = String(new FormData(e.currentTarget).get(name));
    if (check(typed ? {} : { [name]: t("required") }) && !proving.isPending)
      proving.mutate(byPassword ? { password: typed } : { code: typed.trim(), method: way ?? "recovery" });
  };
  return (
    <form className="form" ref={form} onSubmit={send} noValidate>
      <ByPasskey methods={methods} busy={proving.isPending} onClick={() => proving.mutate("passkey")} />
      {byProvider && way !== "email" && <ByProvider />}
      {methods.includes("email") && (
        <ByMail
          sent={way === "email"}
          alone={!byProvider}
          busy={mailing.isPending}
          error={mailing.error}
          fault={faults.code}
          onAsk={() => mailing.mutate()}
        />
      )}
      {byPassword ? (
        <PasswordField
          label={own("account.again")}
          name="password"
          autoComplete="current-password"
          autoFocus
          fault={faults.password}
        />
      ) : (
        way && way !== "email" && <Code methods={methods} way={way} onWay={setWay} fault={faults.code} />
      )}
      {proving.error && <Unproven error={proving.error} />}
      <p className="row">
        <Button busy={proving.isPending} hidden={!byPassword && !way}>
          {own(byPassword ? "account.againSend" : "account.againCode")}
        </Button>
        <button type="button" className="button" onClick={() => answer(false)}>
          {c("cancel")}
        </button>
      </p>
    </form>
  );
};

interface ByMailProps {
  sent: boolean;
  alone: boolean; // there is no other way
  busy: boolean;
  error: Error | null;
  fault: string | undefined;
  onAsk: () => void;
}

// ByMail has a code mailed, and is then the field for it.
const ByMail = ({ sent, alone, busy, error, fault, onAsk }: ByMailProps) => (
  <>
    {!sent && <p>{there(alone ? "elsewhere.mailWhy" : "elsewhere.mailOr")}</p>}
    {sent && (
      <>
        <p role="status">{there("elsewhere.mailedOwner")}</p>
        <Field
          label={there("elsewhere.code")}
          hint={there("elsewhere.codeHow")}
          name="code"
          autoComplete="one-time-code"
          autoCapitalize="characters"
          spellCheck={false}
          autoFocus
          required
          fault={fault}
        />
      </>
    )}
    {error && <Failure error={error} />}
    <p>
      <Button type="button" className={sent ? "button slim" : "button"} busy={busy} onClick={onAsk}>
        {there(sent ? "elsewhere.more" : "elsewhere.send")}
      </Button>
    </p>
  </>
);
