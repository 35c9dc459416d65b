// The words of pages of an account that a purchase does not need.
import section from "../../texts/en.json?section=shop&only=account,license";
import { texts } from "../text";

export const own = texts(section);
