// What the console has read from the API.
import { QueryCache, QueryClient } from "@tanstack/react-query";
import { asProblem } from "../api/problem";
import { retry } from "../api/retry";

// factorDueKey is of the refusal of a session that lacks a second factor; null until there is one.
export const factorDueKey = ["factorDue"];

export const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error) => {
      const { code, details } = asProblem(error);
      if (code === "STAFF_FACTOR_REQUIRED") queries.setQueryData(factorDueKey, error);
      // The console asked for what it may not have: somebody changed the role meanwhile.
      if (code === "FORBIDDEN" && details["permission"]) void queries.invalidateQueries({ queryKey: ["account"] });
    },
  }),
  defaultOptions: {
    // Without a network a request fails and says so: it does not wait, to be sent when nobody expects it.
    queries: { retry, staleTime: 5_000, refetchOnWindowFocus: true, refetchOnReconnect: true, networkMode: "always" },
    mutations: { retry: false, networkMode: "always" },
  },
});
