// Proving to be there: what changes who gets into an account wants to know that its user
// still sits here, and not somebody who found the page open.
import { useMutation, type UseMutationOptions } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { firstWay } from "../api/challenge";
import { prove, waysToProve } from "../api/proof";
import { ByPasskey, Code, Unproven } from "./code";
import { ByProvider } from "./Elsewhere";
import { own } from "./ownText";
import { c, t } from "./text";
import { Button, PasswordField, useFaults } from "./ui";

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
  const [way, setWay] = useState(firstWay(methods));
  const byPassword = methods.includes("password");
  const proving = useMutation({ mutationFn: prove, onSuccess: () => answer(true) });
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
      {methods.includes("provider") && <ByProvider />}
      {byPassword ? (
        <PasswordField
          label={own("account.again")}
          name="password"
          autoComplete="current-password"
          autoFocus
          fault={faults.password}
        />
      ) : (
        way && <Code methods={methods} way={way} onWay={setWay} fault={faults.code} />
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
