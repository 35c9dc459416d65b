// What only somebody may do who is still there: who found the console open is not.
import { Button, Modal, PasswordInput, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { firstWay } from "../../api/challenge";
import { Declined, hasPasskeys } from "../../api/passkey";
import { asProblem } from "../../api/problem";
import { mailProof, prove, type ProofWay } from "../../api/proof";
import { ErrorNote } from "../kit/ErrorNote";
import { c, t } from "../text";
import { ByMail } from "./ByMail";
import { ByProvider } from "./ByProvider";
import type { Asked } from "./useAsked";

const labels = { totp: "proof.code", recovery: "proof.recovery", email: "proof.mailCode" } as const;

const faultOf = (way: ProofWay | "password" | null) =>
  way === "password" ? "proof.wrongPassword" : way === "email" ? "proof.wrongMail" : "proof.wrongCode";

// Proof asks for it on top of everything, so that what was begun below goes on. Whoever does not
// give it has changed nothing.
export const Proof = ({ methods, answer }: Asked) => {
  const [way, setWay] = useState<ProofWay | null>(firstWay(methods));
  const [typed, setTyped] = useState("");
  const byPassword = methods.includes("password");
  const byPasskey = methods.includes("passkey") && hasPasskeys;
  const byProvider = methods.includes("provider");
  const byMail = methods.includes("email");
  const other = way === "totp" ? "recovery" : "totp";
  const proving = useMutation({ mutationFn: prove, onSuccess: () => answer(true), onError: () => setTyped("") });
  const mailing = useMutation({
    mutationFn: mailProof,
    onSuccess: () => {
      proving.reset();
      setTyped("");
      setWay("email");
    },
  });
  const send = (e: FormEvent) => {
    e.preventDefault();
    e.stopPropagation(); // of a form that the dialog was opened in
    if (!typed || proving.isPending) return;
    proving.mutate(byPassword ? { password: typed } : { code: typed.trim(), method: way ?? "recovery" });
  };
  const wrong = proving.isError && asProblem(proving.error).code === "REAUTHENTICATION_FAILED";
  const field = {
    value: typed,
    onChange: (e: { currentTarget: { value: string } }) => setTyped(e.currentTarget.value),
    error: wrong && proving.variables !== "passkey" && t(faultOf(byPassword ? "password" : way)),
    required: true,
    "data-autofocus": true,
  };
  return (
    <Modal
      opened
      zIndex={900}
      onClose={() => answer(false)}
      title={t("proof.title")}
      closeButtonProps={{ "aria-label": c("close") }}>
      <form className="section" onSubmit={send}>
        {byProvider && way !== "email" ? (
          <ByProvider />
        ) : (
          <p style={{ margin: 0 }}>{t(byPassword || byPasskey || byMail || way ? "proof.why" : "proof.none")}</p>
        )}
        {byMail && (
          <ByMail
            sent={way === "email"}
            busy={mailing.isPending}
            error={mailing.error}
            onAsk={() => mailing.mutate()}
          />
        )}
        {byPasskey && (
          <Button
            variant={way ? "default" : "filled"}
            loading={proving.isPending && proving.variables === "passkey"}
            onClick={() => proving.mutate("passkey")}>
            {t("proof.passkey")}
          </Button>
        )}
        {byPassword ? (
          <PasswordInput
            label={t("proof.password")}
            autoComplete="current-password"
            visibilityToggleButtonProps={{ "aria-label": c("showPassword") }}
            {...field}
          />
        ) : (
          way && (
            <TextInput
              key={way}
              label={t(labels[way])}
              inputMode={way === "totp" ? "numeric" : "text"}
              autoComplete={way === "recovery" ? "off" : "one-time-code"}
              spellCheck={false}
              {...field}
            />
          )
        )}
        {proving.error instanceof Declined ? (
          <p style={{ margin: 0 }} role="alert">
            {t("proof.declined")}
          </p>
        ) : (
          proving.isError && !field.error && <ErrorNote error={proving.error} />
        )}
        <div className="dialog-actions">
          {way && way !== "email" && methods.includes(other) && (
            <Button onClick={() => setWay(other)}>{t(other === "totp" ? "proof.useApp" : "proof.useRecovery")}</Button>
          )}
          <Button onClick={() => answer(false)}>{c("cancel")}</Button>
          {(byPassword || way) && (
            <Button type="submit" variant="filled" loading={proving.isPending && proving.variables !== "passkey"}>
              {t("proof.go")}
            </Button>
          )}
        </div>
      </form>
    </Modal>
  );
};
