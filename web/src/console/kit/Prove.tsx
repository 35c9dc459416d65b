// What only somebody may do who is still there: who found the console open is not.
import { Button, PasswordInput, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { firstWay } from "../../api/challenge";
import { Declined, hasPasskeys } from "../../api/passkey";
import { prove } from "../../api/proof";
import { t } from "../text";
import { ErrorNote } from "./ErrorNote";

// Prove asks for the proof, and calls back once it is given.
export const Prove = ({ ways, onProven }: { ways: string[]; onProven: () => void }) => {
  const [way, setWay] = useState(firstWay(ways));
  const password = ways.includes("password");
  const other = way === "totp" ? "recovery" : "totp";
  const typed = password || way !== null;
  const proving = useMutation({ mutationFn: prove, onSuccess: onProven });
  const send = (e: FormEvent<HTMLFormElement>) => {
    e.preventDefault();
    e.stopPropagation(); // the dialog may stand inside of a form
    const text = String(new FormData(e.currentTarget).get("proof"));
    proving.mutate(password ? { password: text } : { code: text, method: way ?? "recovery" });
  };
  return (
    <form className="section" onSubmit={send}>
      <p className="flat">{t("proof.why")}</p>
      {ways.includes("passkey") && hasPasskeys && (
        <Button onClick={() => proving.mutate("passkey")} loading={proving.isPending}>
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
      {proving.error instanceof Declined ? (
        <p role="alert">{t("proof.declined")}</p>
      ) : (
        proving.error && <ErrorNote error={proving.error} />
      )}
      <div className="row">
        {typed && (
          <Button type="submit" loading={proving.isPending}>
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
