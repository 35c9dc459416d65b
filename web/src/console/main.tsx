import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { accessToken, mayBeSignedIn } from "../api/session";
import { followScheme } from "../theme/scheme";
import "../theme/tokens.css";
import { Door, load } from "./door/Door";

followScheme();

// Whoever is signed in waits for the rest and for a token at the same time; a guest gets
// the rest while they type.
if (mayBeSignedIn()) {
  load().catch(() => undefined); // Door says so
  accessToken().catch(() => undefined); // the frame asks again, and says why it failed
  // The first page of most visits, which would otherwise wait for the router.
  if (/^\/console\/?$/.test(location.pathname)) import("./overview/OverviewPage").catch(() => undefined);
} else {
  addEventListener("load", () => setTimeout(() => void load().catch(() => undefined), 500));
}

createRoot(document.getElementById("app") as HTMLElement).render(
  <StrictMode>
    <Door />
  </StrictMode>,
);
