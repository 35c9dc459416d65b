// What the console has read from the API.
import { QueryClient } from "@tanstack/react-query";
import { retry } from "../api/retry";

export const queries = new QueryClient({
  defaultOptions: {
    // Without a network a request fails and says so: it does not wait, to be sent when nobody expects it.
    queries: { retry, staleTime: 5_000, refetchOnWindowFocus: true, refetchOnReconnect: true, networkMode: "always" },
    mutations: { retry: false, networkMode: "always" },
  },
});
