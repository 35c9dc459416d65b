import { Link } from "@tanstack/react-router";
import { c } from "../text";

// TestMode is the bar that says that no payment is real. The server names the mode in the
// page's head, so that the bar is there from the first paint.
export const TestMode = () =>
  document.documentElement.dataset["payments"] === "test" ? (
    <div className="shell-test">
      {c("testMode")} <Link to="/settings/payments">{c("testModeHow")}</Link>
    </div>
  ) : null;
