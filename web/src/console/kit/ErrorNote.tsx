import { Button } from "@mantine/core";
import { asProblem } from "../../api/problem";
import { why } from "./reason";
import { faultWords } from "../refusals";
import { c, t } from "../text";
import { CopyText } from "./CopyText";
import { Missing } from "./Missing";
import { Page } from "./Page";
import { Read } from "./Read";

interface ErrorNoteProps {
  error: unknown;
  retry?: () => void;
  title?: string;
}

// ErrorNote shows a failure where it happened, with every fault and the request id.
export const ErrorNote = ({ error, retry, title }: ErrorNoteProps) => {
  const problem = asProblem(error);
  const read = why(error);
  const issues = problem.issues.filter((issue) => issue.message !== read.text);
  return (
    <div className="note" data-tone="bad" role="alert">
      {title && <h3>{title}</h3>}
      <p>
        <Read words={read} />
      </p>
      {issues.length > 0 && (
        <ul>
          {issues.map((issue, i) => (
            <li key={i} className="wrap">
              {(issue.entry ?? issue.path) && <code>{issue.entry ?? issue.path}</code>}{" "}
              <Read words={faultWords(issue, issue.message)} />
            </li>
          ))}
        </ul>
      )}
      <div className="row">
        {retry && (
          <Button size="xs" onClick={retry}>
            {problem.status === 412 ? t("reload") : c("retry")}
          </Button>
        )}
        {problem.requestId && (
          <span className="small">
            {c("requestId")} <CopyText value={problem.requestId} what={c("requestId")} />
          </span>
        )}
      </div>
    </div>
  );
};

// isUnread reports whether there is nothing to show of what was asked for. What was read before stays when reading it
// again fails, and with it what was typed, unless it is gone, or no longer for this user.
export const isUnread = ({ error, data }: { error: unknown; data: unknown }): boolean =>
  error !== null && (data === undefined || [403, 404].includes(asProblem(error).status));

// ErrorPage stands in for a page whose data did not come. What is not there is no failure.
export const ErrorPage = ({ error }: { error: unknown }) =>
  asProblem(error).status === 404 ? (
    <Missing />
  ) : (
    <Page title={t("failed")}>
      <ErrorNote error={error} retry={() => location.reload()} />
    </Page>
  );
