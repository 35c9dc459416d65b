// Roles, and the permissions that they are made of.
import { queryOptions } from "@tanstack/react-query";
import { api, data, type Schemas } from "../../api/client";
import { currentSession } from "../../api/session";
import { holdsAll } from "../kit/may";

export type Role = Schemas["Role"];

export const rolesQuery = queryOptions({
  queryKey: ["roles"],
  queryFn: async () => (await data(api.GET("/api/v1/admin/roles"))).items,
});

export const permissionsQuery = queryOptions({
  queryKey: ["permissions"],
  queryFn: async () => (await data(api.GET("/api/v1/admin/permissions"))).items.map(({ name }) => name),
  staleTime: Infinity,
});

const areas = ["overview", "shop", "plugins", "people", "events", "settings", "other"] as const;
type Area = (typeof areas)[number];

const areaOf: Record<string, Area> = {
  overview: "overview",
  orders: "shop",
  licenses: "shop",
  reviews: "shop",
  products: "shop",
  media: "shop",
  packages: "shop",
  extensions: "plugins",
  themes: "plugins",
  users: "people",
  staff: "people",
  "api-keys": "people",
  audit: "events",
  deliveries: "events",
  webhooks: "events",
  settings: "settings",
  system: "settings",
  keys: "settings",
  "sign-in": "settings",
};

// byArea groups permissions as the console's menu does, in the order that they have.
export const byArea = (permissions: readonly string[]): { area: Area; names: string[] }[] =>
  areas
    .map((area) => ({
      area,
      names: permissions.filter((name) => (areaOf[name.split(":")[0] ?? ""] ?? "other") === area),
    }))
    .filter(({ names }) => names.length > 0);

// exceeds says whether a role has a permission that the user lacks: they may neither give it nor
// act on somebody who has it. Only administrators give the role of administrators.
export const exceeds = ({ name, permissions }: Role): boolean =>
  (name === "ADMIN" && currentSession()?.user.role !== "ADMIN") || !holdsAll(permissions);
