import { useEffect, useRef, useState } from "react";
import { waysToProve } from "../../api/proof";
import { onRefusal } from "../../api/refusal";

export interface Asked {
  methods: string[];
  // answer says whether the user proved to be there.
  answer: (proven: boolean) => void;
}

// useAsked returns the proof to be there that the API asks for, or null. All requests that were
// refused meanwhile wait for it together, and are sent again.
export const useAsked = (): Asked | null => {
  const [asked, setAsked] = useState<Asked | null>(null);
  useEffect(() => {
    let proof: Promise<boolean> | null = null;
    return onRefusal(async (refusal) => {
      const methods = waysToProve(refusal);
      if (!methods) return false;
      proof ??= new Promise<boolean>((answer) => setAsked({ methods, answer })).finally(() => {
        proof = null;
        setAsked(null);
      });
      return proof;
    });
  }, []);
  useEscape(asked);
  return asked;
};

// useEscape leaves the dialog for the proof only: those below it would hear the key as well. It
// hears it before they do, for it began before.
const useEscape = (asked: Asked | null) => {
  const now = useRef(asked);
  useEffect(() => {
    now.current = asked;
  }, [asked]);
  useEffect(() => {
    const onKey = (e: KeyboardEvent) => {
      if (e.key !== "Escape" || e.isComposing || !now.current) return;
      e.stopImmediatePropagation();
      now.current.answer(false);
    };
    addEventListener("keydown", onKey, { capture: true });
    return () => removeEventListener("keydown", onKey, { capture: true });
  }, []);
};
