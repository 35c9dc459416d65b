import { asProblem } from "../../api/problem";
import { inOne, type Words } from "../../text/refusal";
import { words } from "../refusals";
import { c, t } from "../text";
import { permissionName } from "./may";

// why is what a person reads of a problem; of a lacking permission, what it is for.
export const why = (error: unknown): Words => {
  const problem = asProblem(error);
  const lacked = problem.details["permission"];
  return problem.code === "FORBIDDEN" && typeof lacked === "string"
    ? { text: t("may.refused", { permission: permissionName(lacked) }) }
    : words(problem, c);
};

// reason is why in one text.
export const reason = (error: unknown): string => inOne(why(error));
