// What the pages of themes read. Every key begins with "themes".
import { keepPreviousData, queryOptions, useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { may } from "../kit/may";
import { api, data, type Schemas } from "../../api/client";
import type { ListSearch } from "../kit/useListSearch";

export type Theme = Schemas["Theme"];
export type ThemeKind = Theme["kind"];
export type Applied = Schemas["AppliedTheme"];
export type Target = Theme["target"];

export const targets: Target[] = ["shop", "admin"];
export const themeKinds: ThemeKind[] = ["theme-shop", "theme-app-shop", "theme-admin", "theme-app-admin"];
export const isApp = (kind: ThemeKind): boolean => kind.startsWith("theme-app-");

export const useStatus = (target: Target) =>
  useQuery({
    queryKey: ["themes", "status", target],
    queryFn: () => data(api.GET("/api/v1/admin/themes/{target}", { params: { path: { target } } })),
  });

// useThemes is the page of the installed themes that a list's address names.
export const useThemes = ({ page = 1, q, target, app }: ListSearch) =>
  useQuery({
    queryKey: ["themes", "list", page, q, target, app],
    queryFn: () =>
      data(
        api.GET("/api/v1/admin/themes", {
          params: {
            query: {
              page,
              ...(q ? { q } : {}),
              ...(target ? { target: target as Target } : {}),
              ...(app ? { app: app === "true" } : {}),
            },
          },
        }),
      ),
    placeholderData: keepPreviousData,
  });

// useNames are the names of themes that a target shows or showed, by slug; the slug itself
// of one that is no longer installed.
export const useNames = (applied: (Applied | null)[]) => {
  const shown = applied.filter((one) => one !== null);
  return useQueries({
    queries: shown.map(({ kind, slug, version }) => ({
      ...themeQuery(kind, slug, version),
      enabled: may("extensions:read"),
    })),
    combine: (found) => new Map(shown.map(({ slug }, i) => [slug, found[i]?.data?.name ?? slug])),
  });
};

const themeQuery = (kind: ThemeKind, slug: string, version: string | undefined) =>
  queryOptions({
    queryKey: ["themes", "one", kind, slug, version],
    queryFn: async () => {
      const found = await data(
        api.GET("/api/v1/admin/extensions/{kind}/{slug}", {
          params: { path: { kind, slug }, ...(version ? { query: { version } } : {}) },
        }),
      );
      if (!("versions" in found)) throw new Error("not a theme");
      return found;
    },
  });

export const useTheme = (kind: ThemeKind, slug: string, version: string | undefined) =>
  useQuery(themeQuery(kind, slug, version));

export const useRefresh = () => {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: ["themes"] });
};
