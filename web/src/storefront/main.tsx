import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createRoot } from "react-dom/client";
import { Problem } from "../api/problem";
import { currentSession, onOtherUser, onSession } from "../api/session";
import { App } from "./App";
import "./page";
import { productQuery } from "./data";
import { forgetOrders } from "./kept";
import { follow, match } from "./router";

// A refusal will be the same the next time; only trouble on the way is tried again.
const retry = (failures: number, error: unknown): boolean =>
  failures < 2 && (!(error instanceof Problem) || error.unreachable || error.status === 502 || error.status === 503);

const queries = new QueryClient({ defaultOptions: { queries: { retry, staleTime: 5_000 }, mutations: { retry: false } } });

// The server's header shows what is for guests or for users.
onSession(() => {
  if (currentSession()) document.documentElement.dataset["signedIn"] = "";
  else delete document.documentElement.dataset["signedIn"];
});
onOtherUser(() => {
  forgetOrders();
  if (currentSession()) location.reload(); // what the one before typed goes, too
  else queries.clear();
});

// What the checkout shows is asked for before React begins.
const at = match(location.pathname);
if (at?.pattern === "/checkout/:slug/:tier") void queries.prefetchQuery(productQuery(at.params["slug"] ?? ""));

follow();
createRoot(document.getElementById("app") as HTMLElement).render(
  <QueryClientProvider client={queries}><App /></QueryClientProvider>,
);
