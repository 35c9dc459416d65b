import { followScheme } from "../theme/scheme";
import "../theme/tokens.css";

followScheme();
