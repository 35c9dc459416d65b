// The words for accounts elsewhere, which the shops of few people have.
import section from "../../texts/en.json?section=shop&only=elsewhere";
import { texts } from "../text";

export const there = texts(section);
