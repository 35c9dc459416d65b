// The place of the charts of a plugin's calls: GET /api/v1/admin/plugins/{slug}/traffic.
export const Traffic = (_: { slug: string }) => null;
