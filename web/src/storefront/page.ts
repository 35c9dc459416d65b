// Enhances the pages that the server rendered: what works without JavaScript works better
// with it.
import { followScheme } from "../theme/scheme";

followScheme();
