// The words for refusals of the console, whose sign-in page loads them when there is one.
import errors from "../../texts/en.json?section=errors";
import { refusals } from "../text/refusal";

const { general, ...page } = errors.page;
export const { words, faultWords } = refusals({
  ...errors,
  general,
  codes: { ...page, ...errors.shop, ...errors.console },
});
