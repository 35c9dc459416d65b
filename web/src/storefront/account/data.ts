import { useQuery, useQueryClient } from "@tanstack/react-query";
import { api, data } from "../../api/client";

export const accountKey = ["account"];

export const useAccount = () => useQuery({ queryKey: accountKey, queryFn: () => data(api.GET("/auth/account")) });

// useRefresh is for changes of the ways in, which end sessions, too.
export const useRefresh = () => {
  const queries = useQueryClient();
  return () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: accountKey }),
      queries.invalidateQueries({ queryKey: ["sessions"] }),
    ]);
};
