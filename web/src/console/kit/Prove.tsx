// What only somebody may do who is still there: who found the console open is not.
import { Button, PasswordInput, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { api, data, ok } from "../../api/client";
import type { Way } from "../../api/challenge";
import { Declined, hasPasskeys, usePasskey } from "../../api/passkey";
import { asProblem } from "../../api/problem";
import { t } from "../text";
import { ErrorNote } from "./ErrorNote";

// waysToProve returns how the user may prove to be there, if that is what an action was refused for; else null.
export const waysToProve = (error: unknown): string[] | null => {
  const { code, details } = asProblem(error);
  return code === "REAUTHENTICATION_REQUIRED" ? ((details["methods"] ?? []) as string[]) : null;
};

const byPasskey = async () => {
  const options = await data(api.POST("/auth/reauthenticate/options"));
  return { credential: await usePasskey(options) };
};

// Prove asks for the proof, and calls back once it is given.
export const Prove = ({ ways, onProven }: { ways: string[]; onProven: () => void }) => {
  const [way, setWay] = useState<Way>(ways.includes("totp") ? "totp" : "recovery");
  const password = ways.includes("password");
  const other = way === "totp" ? "recovery" : "totp";
  const typed = password || ways.includes(way);
  const prove = useMutation({
    mutationFn: async (text: string | null) => {
      const body = text === null ? await byPasskey() : password ? { password: text } : { code: text, method: way };
      return ok(api.POST("/auth/reauthenticate", { body: body as never }));
    },
    onSuccess: onProven,
  });
  const send = (e: FormEvent<HTMLFormElement>) => {
    e.preventDefault();
    e.stopPropagation(); // the dialog may stand inside of a form
    prove.mutate(String(new FormData(e.currentTarget).get("proof")));
  };
  return (
    <form className="section" onSubmit={send}>
      <p className="flat">{t("proof.why")}</p>
      {ways.includes("passkey") && hasPasskeys && (
        <Button onClick={() => prove.mutate(null)} loading={prove.isPending}>
          {t("proof.passkey")}
        </Button>
      )}
      {password && (
        <PasswordInput
          label={t("proof.password")}
          name="proof"
          autoComplete="current-password"
          required
          data-autofocus
        />
      )}
      {!password && typed && (
        <TextInput
          key={way}
          label={t(way === "totp" ? "proof.code" : "proof.recovery")}
          name="proof"
          inputMode={way === "totp" ? "numeric" : "text"}
          autoComplete={way === "totp" ? "one-time-code" : "off"}
          required
          data-autofocus
        />
      )}
      {prove.error instanceof Declined ? (
        <p role="alert">{t("proof.declined")}</p>
      ) : (
        prove.error && <ErrorNote error={prove.error} />
      )}
      <div className="row">
        {typed && (
          <Button type="submit" loading={prove.isPending}>
            {t("proof.go")}
          </Button>
        )}
        {!password && ways.includes(other) && (
          <Button variant="default" onClick={() => setWay(other)}>
            {t(other === "totp" ? "proof.useApp" : "proof.useRecovery")}
          </Button>
        )}
      </div>
    </form>
  );
};
