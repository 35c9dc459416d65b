import { asProblem } from "../../api/problem";
import { Declined } from "../../api/passkey";
import { sentence } from "./sentence";
import { c, t } from "./text";

export const Failure = ({ error }: { error: unknown }) => {
  const { requestId } = asProblem(error);
  return (
    <div className="note" data-tone="bad" role="alert">
      <p>{error instanceof Declined ? t("session.declined") : sentence(error)}</p>
      {requestId && (
        <p className="small">
          {c("requestId")} <code>{requestId}</code>
        </p>
      )}
    </div>
  );
};
