import { api, data, ok, tagged } from "../../api/client";

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
