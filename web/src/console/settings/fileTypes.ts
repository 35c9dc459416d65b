// File types that packages may contain beyond those of their kind, and how they are allowed.
import { useQueryClient } from "@tanstack/react-query";
import { api, data, tagged, type Schemas } from "../../api/client";

export type FileTypes = Schemas["FileTypesByKind"];
export type FileKind = keyof FileTypes;

export const fileKinds: FileKind[] = [
  "plugin",
  "theme-shop",
  "theme-admin",
  "theme-app-shop",
  "theme-app-admin",
  "bundle",
];

// asText and asList are the types of a kind in a field and back.
export const asText = (types: string[] | undefined): string => (types ?? []).join(", ");
export const asList = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean);

// useAllow adds types to those that are allowed, for every package to come.
export const useAllow = () => {
  const queries = useQueryClient();
  return async (more: FileTypes) => {
    const { value, etag } = await tagged(api.GET("/api/v1/admin/settings"));
    const wider: FileTypes = {};
    for (const [kind, types] of Object.entries(more) as [FileKind, string[]][])
      wider[kind] = [...new Set([...(value.archiveTypes[kind] ?? []), ...types])];
    await data(
      api.PATCH("/api/v1/admin/settings", { params: { header: { "If-Match": etag } }, body: { archiveTypes: wider } }),
    );
    await queries.invalidateQueries({ queryKey: ["settings"] });
  };
};
