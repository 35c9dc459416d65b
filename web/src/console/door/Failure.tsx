// Why somebody cannot sign in. The words for it are loaded then.
import { lazy, Suspense } from "react";
import { asProblem } from "../../api/problem";
import { Declined } from "../../api/passkey";
import { Read } from "../kit/Read";
import { c, t } from "./text";

// Plain is a failure without what is known of its code.
const Plain = ({ error }: { error: unknown }) => {
  const { unreachable, message } = asProblem(error);
  return <>{(!unreachable && message) || c("unreachable")}</>;
};

const Explained = lazy(async () => {
  const known = await import("../refusals").catch(() => null);
  if (!known) return { default: Plain };
  return { default: ({ error }: { error: unknown }) => <Read words={known.words(asProblem(error), c)} /> };
});

export const Failure = ({ error }: { error: unknown }) => {
  const { requestId, unreachable } = asProblem(error);
  const Why = unreachable ? Plain : Explained;
  return (
    <div className="note" data-tone="bad" role="alert">
      <p>
        {error instanceof Declined ? (
          t("session.declined")
        ) : (
          <Suspense>
            <Why error={error} />
          </Suspense>
        )}
      </p>
      {requestId && (
        <p className="small">
          {c("requestId")} <code>{requestId}</code>
        </p>
      )}
    </div>
  );
};
