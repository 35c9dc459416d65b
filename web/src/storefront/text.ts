import { common, shop as section } from "../../texts/en.json";
import { texts } from "../text";

export const t = texts(section);
export const c = texts(common);
