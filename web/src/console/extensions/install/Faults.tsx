// Why an archive was refused: every fault at the entry or the field where it is.
import { Read } from "../../kit/Read";
import { why } from "../../kit/reason";
import { faultWords } from "../../refusals";
import { CopyText } from "../../kit/CopyText";
import type { Problem } from "../../../api/problem";
import { c, t } from "../../text";

const advice: Record<string, "archive" | "manifest" | "version" | "slug" | "upgrade"> = {
  INVALID_ARCHIVE: "archive",
  INVALID_MANIFEST: "manifest",
  INVALID_BUNDLE: "manifest",
  VERSION_CONFLICT: "version",
  CONFLICT: "slug",
  UPGRADE_FAILED: "upgrade",
  THEME_UNHEALTHY: "upgrade",
};

interface LastError {
  message: string;
  file?: string;
  line?: number;
}

export const Faults = ({ problem }: { problem: Problem }) => {
  const { issues } = problem;
  const last = problem.details["lastError"] as LastError | undefined;
  const cause = problem.details["reason"];
  const whole = aboutTheFile(problem);
  const known = whole ? "notZip" : advice[problem.code];
  return (
    <div className="note" data-tone="bad" role="alert">
      <h3>
        {issues.length > 0 && !whole ? t.count("plugins.install.faults", issues.length) : t("plugins.install.refused")}
      </h3>
      {issues.length === 0 && !last && typeof cause !== "string" && (
        <p>
          <Read words={why(problem)} />
        </p>
      )}
      {whole && (
        <p>
          <Read words={faultWords(whole, whole.message)} />
        </p>
      )}
      {last && (
        <p>
          <code className="wrap">
            {last.file ? `${last.file}${last.line ? `:${last.line}` : ""} ` : ""}
            {last.message}
          </code>
        </p>
      )}
      {typeof cause === "string" && (
        <p>
          <code className="wrap">{cause}</code>
        </p>
      )}
      {issues.length > 0 && !whole && (
        <div className="faults" tabIndex={0} role="group" aria-label={t("plugins.install.faultList")}>
          <table className="table" data-plain>
            <thead>
              <tr>
                <th scope="col">{t("plugins.install.where")}</th>
                <th scope="col">{t("plugins.install.what")}</th>
              </tr>
            </thead>
            <tbody>
              {issues.map((issue, i) => (
                <tr key={i}>
                  <td>
                    <code className="wrap">{issue.entry ?? issue.path ?? ""}</code>
                  </td>
                  <td className="wrap">
                    <Read words={faultWords(issue, withoutPath(issue.message, issue.path))} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {known && <p>{t(`plugins.install.advice.${known}`)}</p>}
      {problem.requestId && (
        <span className="small">
          {c("requestId")} <CopyText value={problem.requestId} what={c("requestId")} />
        </span>
      )}
    </div>
  );
};

// aboutTheFile returns the only fault of a file that is no ZIP archive, or not a whole one. It has no place.
const aboutTheFile = ({ code, issues }: Problem) =>
  code === "INVALID_ARCHIVE" &&
  issues.length === 1 &&
  issues[0]?.code === "malformed" &&
  !issues[0].entry &&
  !issues[0].path
    ? issues[0]
    : undefined;

// withoutPath drops the path from the sentence, for it stands beside it.
const withoutPath = (message: string, path: string | undefined): string =>
  path && message.startsWith(`${path} `)
    ? message.charAt(path.length + 1).toUpperCase() + message.slice(path.length + 2)
    : message;
