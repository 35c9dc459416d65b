// A failure with what is known of it: the words for its code, its faults, and the request id.
import { asProblem } from "../api/problem";
import type { Words } from "../text/refusal";
import { useCopy } from "../text/useCopy";
import { faultWords, words } from "./refusals";
import { c } from "./text";
import { Refused } from "./ui";

const Explained = ({ error, retry }: { error: unknown; retry?: (() => void) | undefined }) => {
  const problem = asProblem(error);
  const read = words(problem, c);
  const faults = problem.issues
    .filter((issue) => issue.message !== read.text)
    .map((issue) => faultWords(issue, issue.message));
  return (
    <Refused retry={retry} more={problem.requestId && <RequestId id={problem.requestId} />}>
      <p>
        <Read words={read} />
      </p>
      {faults.length > 0 && (
        <ul>
          {faults.map((fault, i) => (
            <li key={i}>
              <Read words={fault} />
            </li>
          ))}
        </ul>
      )}
    </Refused>
  );
};

// Read is a sentence, with the field that it is about, and what the API says in English if that is more.
const Read = ({ words: { text, at, said } }: { words: Words }) => (
  <>
    {at && <code>{at}</code>} {text} {said && <span lang="en">{said}</span>}
  </>
);

// RequestId is what the shop finds a failure by.
const RequestId = ({ id }: { id: string }) => {
  const { copied, ref, copy } = useCopy(id);
  return (
    <>
      <span className="small">
        {c("requestId")} <code ref={ref}>{id}</code>
      </span>
      <button type="button" className="button slim" onClick={() => void copy()}>
        {copied ? c("copied") : c("copy", { what: "ID" })}
      </button>
      <span className="sr" role="status">
        {copied && c("copied")}
      </span>
    </>
  );
};

export default Explained;
