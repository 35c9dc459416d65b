import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { mayUsePasskeys, passkeySignIn } from "../api/entry";
import { Declined, offersPasskeys } from "../api/passkey";
import { Unproven } from "./code";
import { step } from "./stepText";
import { Button } from "./ui";

export interface PasskeySignInProps {
  onDone: (() => void) | undefined;
}

// PasskeySignIn is the button for a passkey. Browsers that can, offer passkeys in the field for the name as well.
export const PasskeySignIn = ({ onDone }: PasskeySignInProps) => {
  const queries = useQueryClient();
  const may = useQuery({ queryKey: ["passkeys"], queryFn: mayUsePasskeys, staleTime: Infinity });
  const [late, setLate] = useState<Error | null>(null);
  const offer = useRef<AbortController>(null);
  const done = () => {
    void queries.invalidateQueries();
    onDone?.();
  };
  const entry = useMutation({
    mutationFn: () => {
      offer.current?.abort(); // a browser has one dialog at a time
      setLate(null);
      return passkeySignIn();
    },
    onSuccess: done,
  });
  useEffect(() => {
    if (!may.data) return;
    const ends = new AbortController();
    offer.current = ends;
    void offersPasskeys()
      .then((offers) => (offers && !ends.signal.aborted ? passkeySignIn(ends.signal).then(done) : undefined))
      .catch((error: Error) => {
        if (!(error instanceof Declined) && !ends.signal.aborted) setLate(error);
      });
    return () => ends.abort();
  }, [may.data]);
  if (!may.data) return null;
  const error = entry.error ?? late;
  return (
    <>
      {error && <Unproven error={error} />}
      <p>
        <Button type="button" busy={entry.isPending} onClick={() => entry.mutate()}>
          {step("step.signInWithPasskey")}
        </Button>
      </p>
    </>
  );
};
