import { useEffect, useRef, useState } from "react";
import { mayUsePasskeys, passkeySignIn } from "./entry";
import { Declined, offersPasskeys } from "./passkey";

// What the server asks for can be answered for five minutes: the browser gets it anew before.
const anew = 240_000;

const offered = async (ends: AbortSignal): Promise<unknown> => {
  for (;;) {
    const turn = AbortSignal.any([ends, AbortSignal.timeout(anew)]);
    try {
      return await passkeySignIn(turn);
    } catch (error) {
      if (ends.aborted || !turn.aborted) throw error;
    }
  }
};

// usePasskeySignIn signs in with a passkey: when use is called, or earlier, with one that the
// browser offers in the field for the name. may says whether there is anything to offer.
export const usePasskeySignIn = (onDone: () => void = () => undefined) => {
  const [may, setMay] = useState(false);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const offer = useRef<AbortController>(null);
  const [declined, setDeclined] = useState(0); // how often the button's dialog led to nothing
  useEffect(() => {
    const ends = new AbortController();
    offer.current = ends;
    const wait = async () => {
      if (!(await mayUsePasskeys()) || ends.signal.aborted) return;
      setMay(true);
      if (!(await offersPasskeys()) || ends.signal.aborted) return;
      await offered(ends.signal);
      onDone();
    };
    wait().catch((error: unknown) => {
      if (!(error instanceof Declined) && !ends.signal.aborted) setFailure(error);
    });
    return () => ends.abort();
  }, [declined]);
  const use = () => {
    if (busy) return;
    offer.current?.abort(); // a browser has one dialog at a time
    setBusy(true);
    setFailure(null);
    passkeySignIn()
      .then(onDone, (error: unknown) => {
        setFailure(error);
        setDeclined((n) => n + 1);
      })
      .finally(() => setBusy(false));
  };
  return { may, busy, failure, use };
};
