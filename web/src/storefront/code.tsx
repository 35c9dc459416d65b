import type { Way } from "../api/challenge";
import { Declined, hasPasskeys } from "../api/passkey";
import { step } from "./stepText";
import { Button, Failure, Field } from "./ui";

interface CodeProps {
  methods: string[];
  way: Way;
  onWay: (way: Way) => void;
  fault: string | undefined;
}

// Code is the field for a code of the app or, if the user says so, for a recovery code.
export const Code = ({ methods, way, onWay, fault }: CodeProps) => {
  const other = way === "totp" ? "recovery" : "totp";
  return (
    <>
      <Field
        key={way}
        label={step(way === "totp" ? "step.code" : "step.recovery")}
        hint={step(way === "totp" ? "step.codeHow" : "step.recoveryHow")}
        name="code"
        inputMode={way === "totp" ? "numeric" : "text"}
        autoComplete={way === "totp" ? "one-time-code" : "off"}
        autoCapitalize="characters"
        spellCheck={false}
        autoFocus
        required
        fault={fault}
      />
      {methods.includes(other) && (
        <p>
          <button type="button" className="button slim" onClick={() => onWay(other)}>
            {step(other === "totp" ? "step.useApp" : "step.useRecovery")}
          </button>
        </p>
      )}
    </>
  );
};

// ByPasskey is the button for a passkey, where the account and this browser have any.
export const ByPasskey = ({ methods, busy, onClick }: { methods: string[]; busy: boolean; onClick: () => void }) =>
  methods.includes("passkey") &&
  hasPasskeys && (
    <p>
      <Button type="button" className="button primary" busy={busy} onClick={onClick}>
        {step("step.passkey")}
      </Button>
    </p>
  );

// Unproven tells why a second step, or a proof, did not work.
export const Unproven = ({ error }: { error: unknown }) =>
  error instanceof Declined ? (
    <p className="note" data-tone="warn" role="alert">
      {step("step.declined")}
    </p>
  ) : (
    <Failure error={error} />
  );
