import { asProblem } from "../../api/problem";
import { sentence } from "./sentence";
import { c } from "./text";

export const Failure = ({ error }: { error: unknown }) => {
  const { requestId } = asProblem(error);
  return (
    <div className="note" data-tone="bad" role="alert">
      <p>{sentence(error)}</p>
      {requestId && (
        <p className="small">
          {c("requestId")} <code>{requestId}</code>
        </p>
      )}
    </div>
  );
};
