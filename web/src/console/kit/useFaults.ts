// The server's faults of a form, at the fields that they are about. A fault leaves its field with the
// value that was sent.
import { useState } from "react";
import { asProblem, type Issue } from "../../api/problem";
import { inOne } from "../../text/refusal";
import { faultWords } from "../refusals";
import { t } from "../text";

// useFaults returns all faults of an error; at, which returns what is wrong with a field that still
// holds what was sent; and unchanged, which says whether it does. values are what the fields hold.
export const useFaults = (error: unknown, values: Record<string, unknown>) => {
  const [sent, setSent] = useState({ error, values });
  if (sent.error !== error) setSent({ error, values });
  const issues = error ? asProblem(error).issues : [];
  const unchanged = (name: string) => same(sent.values[name], values[name]);
  const at = (name: string): string | undefined => {
    const found = issues.find(
      ({ path = "" }) => path === name || (/^[.[]/.test(path.slice(name.length)) && path.startsWith(name)),
    );
    return found && unchanged(name) ? says(found) : undefined;
  };
  return { issues, at, unchanged };
};

// says is what is wrong at a field, which need not be named again.
export const says = (issue: Issue): string => inOne(faultWords(issue, shortened(issue)));

const shortened = ({ path = "", message }: Issue): string => {
  if (path === "" || !message.startsWith(path)) return message;
  const rest = message.slice(path.length).replace(/^[:\s]+/, "");
  return rest.startsWith("is ") ? t("fields.this", { rest }) : rest.charAt(0).toUpperCase() + rest.slice(1);
};

export const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
