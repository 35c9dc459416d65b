// The words of signing in and of creating an account, which a purchase does not need.
import section from "../../texts/en.json?section=shop&only=signIn";
import { texts } from "../text";

export const sign = texts(section);
