// What a config form holds, and what it sends. A secret is never in a config that was
// read; here it is kept, replaced or removed.
import { isSecret, type Field, type Schema } from "../manifest";

export type Values = Record<string, unknown>;
export type Secret = { kind: "keep" } | { kind: "set"; value: string } | { kind: "clear" };

export interface Draft {
  values: Values;
  secrets: Record<string, Secret>;
}

// draftOf fills a form: with the config, and where it has no value with the default.
export const draftOf = (schema: Schema, config: Values | null): Draft => {
  const secrets: Record<string, Secret> = {};
  for (const [name, field] of Object.entries(schema)) if (isSecret(field)) secrets[name] = { kind: "keep" };
  return { values: withDefaults(schema, config ?? {}), secrets };
};

const withDefaults = (schema: Schema, config: Values): Values => {
  const values = { ...config };
  for (const [name, field] of Object.entries(schema)) {
    if (isSecret(field)) delete values[name];
    else if (values[name] === undefined && field.default !== undefined) values[name] = structuredClone(field.default);
    else if (field.type === "object" && field.properties && isObject(values[name]))
      values[name] = withDefaults(field.properties, values[name]);
  }
  return values;
};

export const isObject = (value: unknown): value is Values =>
  typeof value === "object" && value !== null && !Array.isArray(value);

// configOf is what is sent: fields left empty are left out, a kept secret is "". A replacement that is still empty keeps
// the secret: only clearing removes it.
export const configOf = (schema: Schema, draft: Draft, configured: Record<string, boolean>): Values => {
  const config = withoutEmpty(draft.values);
  for (const [name, secret] of Object.entries(draft.secrets)) {
    if (!(name in schema)) continue;
    if (secret.kind === "clear") continue;
    if (secret.kind === "set" && secret.value !== "") config[name] = secret.value;
    else if (configured[name]) config[name] = "";
  }
  return config;
};

const withoutEmpty = (values: Values): Values => {
  const kept: Values = {};
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === "") continue;
    const inner = isObject(value) ? withoutEmpty(value) : value;
    if (isObject(inner) && Object.keys(inner).length === 0 && isObject(value) && Object.keys(value).length > 0)
      continue;
    kept[name] = inner;
  }
  return kept;
};

// missing are the paths of required fields without a value.
export const missing = (
  schema: Schema,
  values: Values,
  configured: Record<string, boolean>,
  secrets: Draft["secrets"],
  at = "",
): string[] =>
  Object.entries(schema).flatMap(([name, field]) => {
    const path = at + name;
    const value = values[name];
    if (field.type === "object" && field.properties && isObject(value) && Object.keys(withoutEmpty(value)).length > 0)
      return missing(field.properties, value, {}, {}, `${path}.`);
    if (!field.required) return [];
    if (isSecret(field)) {
      const secret = secrets[name] ?? { kind: "keep" };
      return secret.kind !== "clear" && (configured[name] || (secret.kind === "set" && secret.value !== ""))
        ? []
        : [path];
    }
    return value === undefined || value === null || value === "" ? [path] : [];
  });

const scalars = ["string", "text", "textarea", "url", "email", "color", "number", "integer", "boolean"];

// canEdit says whether the form has a control for a field and its value. The JSON editor
// is there for the others.
export const canEdit = (field: Field, value: unknown): boolean => {
  if (isSecret(field)) return true;
  if (field.enum) return value === undefined || value === "" || field.enum.includes(value as never);
  if (field.type === "array") return Array.isArray(value ?? []) && isPlainList((value ?? []) as unknown[], field.items);
  if (field.type === "object")
    return (
      field.properties !== undefined &&
      Object.keys(field.properties).length > 0 &&
      (value === undefined || isObject(value))
    );
  return scalars.includes(field.type);
};

const isPlainList = (items: unknown[], of: Field | undefined): boolean =>
  (of === undefined || scalars.includes(of.type)) &&
  items.every((item) => typeof item === "string" || typeof item === "number");
