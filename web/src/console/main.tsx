import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Problem } from "../api/problem";
import { onOtherUser } from "../api/session";
import { followScheme } from "../theme/scheme";
import { Kit } from "./kit/Kit";
import { router } from "./router";

followScheme();

// A refusal will be the same the next time; only trouble on the way is tried again.
const retry = (failures: number, error: unknown): boolean =>
  failures < 2 && (!(error instanceof Problem) || error.unreachable || error.status === 502 || error.status === 503);

const queries = new QueryClient({
  defaultOptions: { queries: { retry, staleTime: 5_000, refetchOnWindowFocus: true }, mutations: { retry: false } },
});

onOtherUser(() => queries.clear());

createRoot(document.getElementById("app") as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <Kit>
        <RouterProvider router={router} />
      </Kit>
    </QueryClientProvider>
  </StrictMode>,
);
