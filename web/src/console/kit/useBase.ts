import { useEffect, useState } from "react";
import { asProblem } from "../../api/problem";

// useBase returns what a form begins with: what was read last, until something is typed.
// Then it stays, so that what somebody else changes meanwhile takes nothing away. settle
// begins again, after saving or when asked to.
export const useBase = <T extends { etag: string }>(latest: T) => {
  const [base, setBase] = useState(latest);
  const [typed, setTyped] = useState(false);
  if (!typed && base.etag !== latest.etag) setBase(latest);
  return { base, setTyped, settle: () => setTyped(false) };
};

// useTyped tells a form's useBase whether anything was changed.
export const useTyped = (changed: boolean, setTyped: (typed: boolean) => void) => {
  useEffect(() => setTyped(changed), [changed, setTyped]);
};

// onRetry is what the button below a failed save does: it sends once more, or begins again with what is saved now if
// somebody else saved in the meantime.
export const onRetry = (error: unknown, send: () => void, begin: () => Promise<void>) =>
  asProblem(error).status === 412 ? () => void begin() : send;
