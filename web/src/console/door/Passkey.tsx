import { useEffect, useRef, useState } from "react";
import { mayUsePasskeys, passkeySignIn } from "../../api/entry";
import { Declined, offersPasskeys } from "../../api/passkey";
import { Failure } from "./Failure";
import { t } from "./text";

// Passkey is the button for a passkey. Browsers that can, offer passkeys in the field for the address as well.
export const Passkey = () => {
  const [may, setMay] = useState(false);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const offer = useRef<AbortController>(null);
  useEffect(() => {
    const ends = new AbortController();
    offer.current = ends;
    const wait = async () => {
      if (!(await mayUsePasskeys()) || ends.signal.aborted) return;
      setMay(true);
      if ((await offersPasskeys()) && !ends.signal.aborted) await passkeySignIn(ends.signal);
    };
    wait().catch((error: unknown) => {
      if (!(error instanceof Declined) && !ends.signal.aborted) setFailure(error);
    });
    return () => ends.abort();
  }, []);
  if (!may) return null;
  const use = () => {
    if (busy) return;
    offer.current?.abort(); // a browser has one dialog at a time
    setBusy(true);
    setFailure(null);
    passkeySignIn()
      .catch(setFailure)
      .finally(() => setBusy(false));
  };
  return (
    <section>
      {failure !== null && <Failure error={failure} />}
      <button type="button" className="sign-in-field" aria-disabled={busy} onClick={use}>
        {t("session.signInWithPasskey")}
      </button>
    </section>
  );
};
