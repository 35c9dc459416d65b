// The words for refusals of the storefront. They are loaded when there is one.
import errors from "../../texts/en.json?section=errors&without=console";
import shop from "../../texts/en.json?section=shop&only=discount";
import { refusals } from "../text/refusal";

const { general, ...page } = errors.page;
export const { words, faultWords } = refusals({
  ...errors,
  general,
  codes: { ...page, ...errors.shop },
  reasons: { ...errors.reasons, DISCOUNT_REFUSED: shop.discount.refused },
});
