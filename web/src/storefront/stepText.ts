// The words of the second step: most people who sign in never see them.
import section from "../../texts/en.json?section=shop&only=step";
import { texts } from "../text";

export const step = texts(section);
