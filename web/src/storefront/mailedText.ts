// The words of signing in by mail: few shops have it.
import section from "../../texts/en.json?section=shop&only=mailed";
import { texts } from "../text";

export const mailed = texts(section);
