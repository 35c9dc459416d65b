// Proving to be there: what changes who gets into an account wants to know that its user
// still sits here, and not somebody who found the page open.
import { useMutation, type UseMutationOptions } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import type { Way } from "../api/challenge";
import { api, data, ok } from "../api/client";
import { usePasskey } from "../api/passkey";
import { asProblem } from "../api/problem";
import { ByPasskey, Code, firstWay, Unproven } from "./code";
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
          const { code, details } = asProblem(error);
          if (code !== "REAUTHENTICATION_REQUIRED") throw error;
          const proven = await new Promise<boolean>((answer) =>
            setAsked({ methods: (details["methods"] ?? []) as string[], answer }),
          );
          setAsked(null);
          if (!proven) throw new Refused();
        }
      }
    },
  });
  const error = action.error instanceof Refused ? null : action.error;
  return { ...action, error, proof: asked && <Proof {...asked} /> };
};

const askPasskey = () => data(api.POST("/auth/reauthenticate/options"));

const Proof = ({ methods, answer }: Asked) => {
  const { faults, form, check } = useFaults<"password" | "code">();
  const [way, setWay] = useState(firstWay(methods));
  const byPassword = methods.includes("password");
  const prove = useMutation({
    mutationFn: async (body: { password: string } | { code: string; method: Way } | "passkey") => {
      const proof = body === "passkey" ? { credential: await usePasskey(await askPasskey()) } : body;
      return ok(api.POST("/auth/reauthenticate", { body: proof as never }));
    },
    onSuccess: () => answer(true),
  });
  const send = (e: FormEvent<HTMLFormElement>) => {
    e.preventDefault();
    const name = byPassword ? "password" : "code";
    const typed = String(new FormData(e.currentTarget).get(name));
    if (check(typed ? {} : { [name]: t("required") }) && !prove.isPending)
      prove.mutate(byPassword ? { password: typed } : { code: typed.trim(), method: way ?? "recovery" });
  };
  return (
    <form className="form" ref={form} onSubmit={send} noValidate>
      <ByPasskey methods={methods} busy={prove.isPending} onClick={() => prove.mutate("passkey")} />
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
      {prove.error && <Unproven error={prove.error} />}
      <p className="row">
        <Button busy={prove.isPending} hidden={!byPassword && !way}>
          {own(byPassword ? "account.againSend" : "account.againCode")}
        </Button>
        <button type="button" className="button" onClick={() => answer(false)}>
          {c("cancel")}
        </button>
      </p>
    </form>
  );
};
