import common from "../../texts/en.json?section=common";
import section from "../../texts/en.json?section=console&without=markets";
import { texts } from "../text";

export const t = texts(section);
export const c = texts(common);
