import { useQuery } from "@tanstack/react-query";
import { api, data } from "../../api/client";

// useIdentities reads the administrator's own accounts at identity providers.
export const useIdentities = (enabled = true) =>
  useQuery({ queryKey: ["identities"], enabled, queryFn: () => data(api.GET("/auth/identities")) });
