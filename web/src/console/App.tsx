// The console for those who are signed in.
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { Problem } from "../api/problem";
import { onOtherUser } from "../api/session";
import { Kit } from "./kit/Kit";
import { router } from "./router";

// A refusal will be the same the next time; only trouble on the way is tried again.
const retry = (failures: number, error: unknown): boolean =>
  failures < 2 && (!(error instanceof Problem) || error.unreachable || error.status === 502 || error.status === 503);

const queries = new QueryClient({
  defaultOptions: { queries: { retry, staleTime: 5_000, refetchOnWindowFocus: true }, mutations: { retry: false } },
});

onOtherUser(() => queries.clear());

const App = () => (
  <QueryClientProvider client={queries}>
    <Kit>
      <RouterProvider router={router} />
    </Kit>
  </QueryClientProvider>
);

export default App;
