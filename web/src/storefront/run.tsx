// Shows the pages of a buyer: checkout, orders, licenses and account.
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createRoot } from "react-dom/client";
import { retry } from "../api/retry";
import { currentSession, mayBeSignedIn, onOtherUser, onSession } from "../api/session";
import { App } from "./App";
import { productQuery, sessionQuery } from "./data";
import { forgetOrders } from "./kept";
import { follow, match } from "./router";

const queries = new QueryClient({
  defaultOptions: {
    // Without a network a request fails and says so: nothing waits to be bought later.
    queries: { retry, staleTime: 5_000, refetchOnReconnect: true, networkMode: "always" },
    mutations: { retry: false, networkMode: "always" },
  },
});

// The server's header shows what is for guests or for users.
onSession(() => {
  if (currentSession()) document.documentElement.dataset["signedIn"] = "";
  else delete document.documentElement.dataset["signedIn"];
});
onOtherUser(() => {
  forgetOrders();
  if (currentSession())
    location.reload(); // what the one before typed goes, too
  else queries.clear();
});

follow();

// The server wrote what the checkout is about: that stays until React has all it needs to
// show the page in its place.
const at = match(location.pathname);
const needed =
  at?.pattern === "/checkout/:slug/:tier"
    ? [
        queries.prefetchQuery(productQuery(at.params["slug"] ?? "")),
        mayBeSignedIn() && queries.prefetchQuery(sessionQuery),
      ]
    : [];
const show = () =>
  createRoot(document.getElementById("app") as HTMLElement).render(
    <QueryClientProvider client={queries}>
      <App />
    </QueryClientProvider>,
  );
if (needed.length === 0) show();
else void Promise.all(needed).then(show);
