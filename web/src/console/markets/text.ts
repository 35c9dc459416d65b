// The words of markets: most pages of the console do without them.
import section from "../../../texts/en.json?section=console&only=markets";
import { texts } from "../../text";

export const m = texts(section);
