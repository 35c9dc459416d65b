import { usePasskeySignIn } from "../../api/usePasskeySignIn";
import { Failure } from "./Failure";
import { t } from "./text";

// Passkey is the button for a passkey.
export const Passkey = () => {
  const { may, busy, failure, use } = usePasskeySignIn();
  if (!may) return null;
  return (
    <section>
      {failure !== null && <Failure error={failure} />}
      <button type="button" className="sign-in-field" aria-disabled={busy} onClick={use}>
        {t("session.signInWithPasskey")}
      </button>
    </section>
  );
};
