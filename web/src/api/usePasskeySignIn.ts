import { useEffect, useRef, useState } from "react";
import { mayUsePasskeys, passkeySignIn } from "./entry";
import { Declined, offersPasskeys } from "./passkey";

// usePasskeySignIn signs in with a passkey: when use is called, or earlier, with one that the
// browser offers in the field for the name. may says whether there is anything to offer.
export const usePasskeySignIn = (onDone: () => void = () => undefined) => {
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
      if (!(await offersPasskeys()) || ends.signal.aborted) return;
      await passkeySignIn(ends.signal);
      onDone();
    };
    wait().catch((error: unknown) => {
      if (!(error instanceof Declined) && !ends.signal.aborted) setFailure(error);
    });
    return () => ends.abort();
  }, []);
  const use = () => {
    if (busy) return;
    offer.current?.abort(); // a browser has one dialog at a time
    setBusy(true);
    setFailure(null);
    passkeySignIn()
      .then(onDone, setFailure)
      .finally(() => setBusy(false));
  };
  return { may, busy, failure, use };
};
