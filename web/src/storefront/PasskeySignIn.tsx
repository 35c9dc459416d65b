import { useQueryClient } from "@tanstack/react-query";
import { usePasskeySignIn } from "../api/usePasskeySignIn";
import { Unproven } from "./code";
import { step } from "./stepText";
import { Button } from "./ui";

export interface PasskeySignInProps {
  onDone: (() => void) | undefined;
}

// PasskeySignIn is the button for a passkey.
export const PasskeySignIn = ({ onDone }: PasskeySignInProps) => {
  const queries = useQueryClient();
  const { may, busy, failure, use } = usePasskeySignIn(() => {
    void queries.invalidateQueries();
    onDone?.();
  });
  if (!may) return null;
  return (
    <>
      {failure !== null && <Unproven error={failure} />}
      <p>
        <Button type="button" busy={busy} onClick={use}>
          {step("step.signInWithPasskey")}
        </Button>
      </p>
    </>
  );
};
