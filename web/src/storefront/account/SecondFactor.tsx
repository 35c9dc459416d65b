// The screen of the account that is about the second step at sign-in.
import { useState, type FormEvent, type RefObject } from "react";
import { api, data, ok, type Schemas } from "../../api/client";
import { asProblem } from "../../api/problem";
import { QrCode } from "../../text/QrCode";
import { useCopy } from "../../text/useCopy";
import { useAccount, useRefresh } from "./data";
import { Add, useMayUse } from "./Passkeys";
import { useProved } from "../proof";
import { step } from "../stepText";
import { c, t } from "../text";
import { Badge, Button, Copy, Failure, Field, Told, useFaults, useHeading, Waiting } from "../ui";

export const SecondFactor = () => {
  const account = useAccount();
  const { heading, toHeading } = useHeading();
  const [codes, setCodes] = useState<string[] | null>(null);
  if (account.isError) return <Failure error={account.error} retry={() => void account.refetch()} />;
  if (!account.data) return <Waiting />;
  const { secondFactor } = account.data;
  const any = secondFactor.totp || secondFactor.passkeys > 0;
  return (
    <>
      {!codes && <App factor={secondFactor} onCodes={setCodes} />}
      {!codes && <ByPasskeys factor={secondFactor} />}
      {(any || codes) && (
        <section aria-labelledby="recovery-codes">
          <h2 id="recovery-codes" ref={heading} tabIndex={-1}>
            {step("step.codes")}
          </h2>
          {codes ? (
            <Codes
              codes={codes}
              onDone={() => {
                setCodes(null);
                toHeading();
              }}
            />
          ) : (
            <Recovery left={secondFactor.recoveryCodesLeft} onCodes={setCodes} />
          )}
        </section>
      )}
    </>
  );
};

type Factor = Schemas["Account"]["secondFactor"];

const App = ({ factor, onCodes }: { factor: Factor; onCodes: (codes: string[]) => void }) => {
  const { heading, toHeading } = useHeading();
  return (
    <section aria-labelledby="second-step">
      <h2 id="second-step" ref={heading} tabIndex={-1}>
        {step("step.app")}{" "}
        <Badge tone={factor.totp ? "good" : "none"}>{step(factor.totp ? "step.on" : "step.off")}</Badge>
      </h2>
      {factor.totp ? (
        <On onOff={toHeading} />
      ) : factor.available ? (
        <Off onCodes={onCodes} />
      ) : (
        <p className="soft">{step("step.unproven")}</p>
      )}
    </section>
  );
};

// ByPasskeys says that passkeys stand in for the app. The screen of ways to sign in lists them.
const ByPasskeys = ({ factor }: { factor: Factor }) => {
  const may = useMayUse();
  const [told, setTold] = useState("");
  const { heading, toHeading } = useHeading();
  const { passkeys } = factor;
  if (!may.data && passkeys === 0) return null;
  return (
    <section aria-labelledby="step-passkeys">
      <h2 id="step-passkeys" ref={heading} tabIndex={-1}>
        {step("step.passkeys")}{" "}
        <Badge tone={passkeys > 0 ? "good" : "none"}>{step(passkeys > 0 ? "step.on" : "step.off")}</Badge>
      </h2>
      <Told>{told}</Told>
      {passkeys > 0 ? (
        <p>
          {step.count("step.passkeysStep", passkeys)} <a href="/account/sign-in">{step("step.managePasskeys")}</a>
        </p>
      ) : (
        <p className="soft">{step(factor.available ? "step.noPasskeys" : "step.unprovenPasskey")}</p>
      )}
      {passkeys === 0 && factor.available && (
        <Add
          names={[]}
          onAdded={(name) => {
            setTold(step("step.passkeyAdded", { name }));
            toHeading();
          }}
        />
      )}
    </section>
  );
};

const Off = ({ onCodes }: { onCodes: (codes: string[]) => void }) => {
  const begin = useProved({ mutationFn: () => data(api.POST("/auth/totp")) });
  if (begin.data) return <Confirm {...begin.data} onCodes={onCodes} onCancel={begin.reset} />;
  return (
    <>
      <p className="soft">{step("step.offHow")}</p>
      {begin.error && <Failure error={begin.error} />}
      {begin.proof ?? (
        <p>
          <Button type="button" busy={begin.isPending} onClick={() => begin.mutate()}>
            {step("step.setUp")}
          </Button>
        </p>
      )}
    </>
  );
};

interface ConfirmProps {
  secret: string;
  uri: string;
  onCodes: (codes: string[]) => void;
  onCancel: () => void;
}

// Confirm shows the secret to the app, and takes the first code: without one nothing is switched on.
const Confirm = ({ secret, uri, onCodes, onCancel }: ConfirmProps) => {
  const refresh = useRefresh();
  const { faults, form, check } = useFaults<"code">();
  const confirm = useProved({
    mutationFn: (code: string) => data(api.POST("/auth/totp/confirm", { body: { code } })),
    onSuccess: ({ recoveryCodes }) => {
      onCodes(recoveryCodes);
      return refresh();
    },
    onError: (error) => wrong(error) && check({ code: step("step.wrongFirst") }),
  });
  const send = (e: FormEvent<HTMLFormElement>) => {
    e.preventDefault();
    const code = String(new FormData(e.currentTarget).get("code")).trim();
    if (check(code ? {} : { code: t("required") }) && !confirm.isPending) confirm.mutate(code);
  };
  return (
    <>
      {confirm.proof}
      <form className="form" ref={form} onSubmit={send} noValidate hidden={confirm.proof !== null}>
        <p>{step("step.scan")}</p>
        <QrCode of={uri} label={step("step.picture")} />
        <p className="soft small">{step("step.type")}</p>
        <Copy value={(secret.match(/.{4}/g) ?? []).join(" ")} what={step("step.secret")} />
        <Field
          label={step("step.code")}
          hint={step("step.firstCode")}
          name="code"
          inputMode="numeric"
          autoComplete="one-time-code"
          required
          fault={faults.code}
        />
        {confirm.error && !wrong(confirm.error) && <Failure error={confirm.error} />}
        <p className="row">
          <Button className="button primary" busy={confirm.isPending}>
            {step("step.switchOn")}
          </Button>
          <button type="button" className="button" onClick={onCancel}>
            {c("cancel")}
          </button>
        </p>
      </form>
    </>
  );
};

const wrong = (error: Error) => asProblem(error).code === "SECOND_FACTOR_FAILED";

// Codes are shown once: the server keeps no more than their hashes.
const Codes = ({ codes, onDone }: { codes: string[]; onDone: () => void }) => {
  const { copied, ref, copy } = useCopy(codes.join("\n"));
  return (
    <>
      <p role="status">{step("step.codesHow")}</p>
      <ol className="codes mono" ref={ref as RefObject<HTMLOListElement | null>}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ol>
      <p className="row">
        <button type="button" className="button" onClick={() => void copy()}>
          {copied ? c("copied") : step("step.copy")}
        </button>
        <span className="sr" role="status">
          {copied && c("copied")}
        </span>
        <button type="button" className="button" onClick={() => print()}>
          {step("step.print")}
        </button>
        <button type="button" className="button primary" onClick={onDone}>
          {step("step.kept")}
        </button>
      </p>
    </>
  );
};

// Recovery is about the codes for whoever lost the app or the device.
const Recovery = ({ left, onCodes }: { left: number; onCodes: (codes: string[]) => void }) => {
  const refresh = useRefresh();
  const fresh = useProved({
    mutationFn: () => data(api.POST("/auth/recovery-codes")),
    onSuccess: ({ recoveryCodes }) => {
      onCodes(recoveryCodes);
      return refresh();
    },
  });
  return (
    <>
      <p className={left > 2 ? "soft" : "note"} data-tone={left > 2 ? undefined : "warn"}>
        {step.count("step.left", left)}
      </p>
      {fresh.error && <Failure error={fresh.error} />}
      {fresh.proof ?? (
        <p>
          <Button type="button" busy={fresh.isPending} onClick={() => fresh.mutate()}>
            {step("step.newCodes")}
          </Button>
        </p>
      )}
    </>
  );
};

const On = ({ onOff }: { onOff: () => void }) => {
  const refresh = useRefresh();
  const [asked, setAsked] = useState(false);
  const off = useProved({
    mutationFn: () => ok(api.DELETE("/auth/totp")),
    onSuccess: async () => {
      await refresh();
      onOff();
    },
  });
  return (
    <>
      <p>{step("step.appOn")}</p>
      {off.error && <Failure error={off.error} />}
      {off.proof}
      <div hidden={off.proof !== null}>
        {asked ? (
          <div className="note" data-tone="warn">
            <p>{step("step.offWarning")}</p>
            <div className="row">
              <Button type="button" className="button slim" busy={off.isPending} onClick={() => off.mutate()}>
                {step("step.switchOff")}
              </Button>
              <button type="button" className="button slim" onClick={() => setAsked(false)} autoFocus>
                {step("step.keepOn")}
              </button>
            </div>
          </div>
        ) : (
          <button type="button" className="button" onClick={() => setAsked(true)}>
            {step("step.switchOff")}
          </button>
        )}
      </div>
    </>
  );
};
