import { useQuery } from "@tanstack/react-query";
import { api, data, type Schemas } from "../../api/client";

export type System = Schemas["System"];

export const useSystem = () => useQuery({ queryKey: ["system"], queryFn: () => data(api.GET("/api/v1/admin/system")) });
