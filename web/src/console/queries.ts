// What the console has read from the API.
import { QueryClient } from "@tanstack/react-query";
import { Problem } from "../api/problem";

// A refusal will be the same the next time; only trouble on the way is tried again.
const retry = (failures: number, error: unknown): boolean =>
  failures < 2 && (!(error instanceof Problem) || error.unreachable || error.status === 502 || error.status === 503);

export const queries = new QueryClient({
  defaultOptions: {
    // Without a network a request fails and says so: it does not wait, to be sent when nobody expects it.
    queries: { retry, staleTime: 5_000, refetchOnWindowFocus: true, refetchOnReconnect: true, networkMode: "always" },
    mutations: { retry: false, networkMode: "always" },
  },
});
