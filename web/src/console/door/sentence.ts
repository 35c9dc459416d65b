import { asProblem } from "../../api/problem";
import { c } from "./text";

// sentence is what a person reads of a problem: what happened and what to do.
export const sentence = (error: unknown): string => {
  const problem = asProblem(error);
  if (problem.unreachable) return c("unreachable");
  return problem.ours && problem.code === "INTERNAL_ERROR"
    ? c("somethingFailed")
    : problem.message || c("somethingFailed");
};
