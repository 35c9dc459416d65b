// What the pages of themes read. Every key begins with "themes".
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { api, data, type Schemas } from "../../api/client";

export type Theme = Schemas["Theme"];
export type ThemeKind = Theme["kind"];
export type Applied = Schemas["AppliedTheme"];
export type Target = Theme["target"];

export const targets: Target[] = ["shop", "admin"];
export const themeKinds: ThemeKind[] = ["theme-shop", "theme-app-shop", "theme-admin", "theme-app-admin"];
export const isApp = (kind: ThemeKind): boolean => kind.startsWith("theme-app-");

export const useStatus = (target: Target) => useQuery({
  queryKey: ["themes", "status", target],
  queryFn: () => data(api.GET("/api/v1/admin/themes/{target}", { params: { path: { target } } })),
});

// useThemes are the themes of a target: packs, then apps.
export const useThemes = (target: Target) => useQuery({
  queryKey: ["themes", "list", target],
  queryFn: async () => {
    const kinds: ThemeKind[] = target === "shop" ? ["theme-shop", "theme-app-shop"] : ["theme-admin", "theme-app-admin"];
    const lists = await Promise.all(kinds.map((kind) => data(api.GET("/api/v1/admin/extensions/{kind}", { params: { path: { kind }, query: { limit: 100 } } }))));
    return lists.flatMap((list) => list.items).filter((item): item is Theme => "versions" in item);
  },
});

export const useTheme = (kind: ThemeKind, slug: string, version: string | undefined) => useQuery({
  queryKey: ["themes", "one", kind, slug, version],
  queryFn: async () => {
    const found = await data(api.GET("/api/v1/admin/extensions/{kind}/{slug}", { params: { path: { kind, slug }, ...(version ? { query: { version } } : {}) } }));
    if (!("versions" in found)) throw new Error("not a theme");
    return found;
  },
});

export const useRefresh = () => {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: ["themes"] });
};
