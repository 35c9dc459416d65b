// What the console reads in a manifest itself: the API keeps it as the text that the
// package came with.
export interface Field {
  type: string;
  label?: string;
  description?: string;
  required?: boolean;
  secret?: boolean;
  sensitive?: boolean;
  enum?: (string | number | boolean)[];
  default?: unknown;
  properties?: Schema;
  items?: Field;
}
export type Schema = Record<string, Field>;

export interface Manifest {
  slug?: string;
  name?: string;
  version?: string;
  permissions: string[];
  configSchema: Schema;
  defaultConfig: Record<string, unknown>;
  // The plugin's own page for administrators: a path at or below /admin, "" if it has none, and
  // what the plugin calls it.
  adminUi: string;
  adminLabel?: string;
  events: string[];
}

const object = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
const list = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((v): v is string => typeof v === "string") : [];

// readManifest reads what it knows and passes over what is wrong: stoa checks manifests.
export const readManifest = (json: string | undefined): Manifest => {
  let raw: Record<string, unknown> = {};
  try {
    raw = object(JSON.parse(json ?? "{}"));
  } catch {
    // An empty manifest stands for one that cannot be read.
  }
  // Older manifests have an object.
  const page = object(raw["adminUi"]);
  const adminUi = text(raw["adminUi"]) ?? text(page["entryPath"]) ?? text(page["path"]) ?? "";
  const adminLabel = text(page["label"])?.trim().slice(0, 80);
  const [slug, name, version] = [text(raw["slug"]), text(raw["name"]), text(raw["version"])];
  return {
    ...(slug === undefined ? {} : { slug }),
    ...(name === undefined ? {} : { name }),
    ...(version === undefined ? {} : { version }),
    permissions: list(raw["permissions"]),
    configSchema: readSchema(raw["configSchema"]),
    defaultConfig: object(raw["defaultConfig"]),
    adminUi: isAdminPath(adminUi) ? adminUi : "",
    ...(adminLabel ? { adminLabel } : {}),
    events: list(object(raw["events"])["subscribe"]),
  };
};

// isAdminPath accepts paths that stay at or below /admin.
export const isAdminPath = (path: string): boolean =>
  /^\/admin([/?#]|$)/.test(path) && /^\/admin(\/|$)/.test(new URL(path, "http://plugin.invalid").pathname);

const readSchema = (value: unknown): Schema => {
  const schema: Schema = {};
  for (const [name, raw] of Object.entries(object(value))) {
    const field = object(raw);
    const type = text(field["type"]);
    if (type === undefined) continue;
    schema[name] = {
      ...field,
      type,
      ...(type === "object" ? { properties: readSchema(field["properties"]) } : {}),
      ...(type === "array" && text(object(field["items"])["type"])
        ? { items: object(field["items"]) as unknown as Field }
        : {}),
    } as Field;
  }
  return schema;
};

export const isSecret = (field: Field): boolean =>
  field.type === "secret" || field.secret === true || field.sensitive === true;
