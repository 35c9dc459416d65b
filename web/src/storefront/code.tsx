import type { Way } from "../api/challenge";
import { step } from "./stepText";
import { Field } from "./ui";

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

// firstWay is the one that most people have at hand.
export const firstWay = (methods: string[]): Way => (methods.includes("totp") ? "totp" : "recovery");
