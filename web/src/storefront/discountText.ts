// The words of the field for a discount code, which few need.
import section from "../../texts/en.json?section=shop&only=discount";
import { texts } from "../text";

export const discounts = texts(section);
