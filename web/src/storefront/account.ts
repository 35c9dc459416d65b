import { useQuery } from "@tanstack/react-query";
import { api, data } from "../api/client";

export const accountKey = ["account"];

export const useAccount = () => useQuery({ queryKey: accountKey, queryFn: () => data(api.GET("/auth/account")) });
