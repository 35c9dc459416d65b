import { api, data, ok, tagged } from "../../api/client";
import { holdsAll, may } from "../kit/may";

// What staff may give an extension if they have it themselves; stoa gives some of the others to nobody but those with
// extensions:trust.
const own: string[] = ["users:read", "users:email", "orders:read", "licenses:read"];

// mayGrant says whether the user may give an extension a permission.
export const mayGrant = (name: string): boolean =>
  may("extensions:trust") ||
  (own.includes(name) ? holdsAll([name]) : name !== "events:subscribe" && !name.startsWith("network:"));

// grantAll grants permissions to every instance of a plugin, beside those it has. It
// returns the number of instances. Each changes in the state that was read, or not at all.
export const grantAll = async (slug: string, permissions: string[]): Promise<number> => {
  let changed = 0;
  for (let page = 1, pages = 1; page <= pages; page++) {
    const list = await data(
      api.GET("/api/v1/admin/plugins/{slug}/instances", { params: { path: { slug }, query: { page, limit: 100 } } }),
    );
    pages = list.pagination.totalPages;
    for (const { installationId } of list.items) {
      const path = { slug, installationId };
      const { value, etag } = await tagged(
        api.GET("/api/v1/admin/plugins/{slug}/instances/{installationId}", { params: { path } }),
      );
      const grantedPermissions = [...new Set([...value.grantedPermissions, ...permissions])];
      await ok(
        api.PATCH("/api/v1/admin/plugins/{slug}/instances/{installationId}", {
          params: { path, header: { "If-Match": etag } },
          body: { grantedPermissions },
        }),
      );
      changed++;
    }
  }
  return changed;
};
