// The texts of the sign-in page: it must not wait for those of all the console.
import common from "../../../texts/en.json?section=common";
import section from "../../../texts/en.json?section=console&only=session";
import { texts } from "../../text";

export const t = texts(section);
export const c = texts(common);
