// The words of changes and renewals of a license.
import section from "../../texts/en.json?section=shop&only=plan";
import { texts } from "../text";

export const pl = texts(section);
