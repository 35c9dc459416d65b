import { asProblem } from "../../api/problem";
import { sentence } from "../door/sentence";
import { t } from "../text";
import { permissionName } from "./may";

// reason is what a person reads of a problem; of a lacking permission, what it is for.
export const reason = (error: unknown): string => {
  const { code, details } = asProblem(error);
  const lacked = details["permission"];
  return code === "FORBIDDEN" && typeof lacked === "string"
    ? t("may.refused", { permission: permissionName(lacked) })
    : sentence(error);
};
