// What an instance lacks before it can be enabled: the required fields of its config that
// have no value, as the form calls them.
import { missing } from "../extensions/form/model";
import { readManifest, type Field, type Schema } from "../extensions/manifest";
import type { Instance } from "./data";

// lacking returns nothing for an enabled instance, which has all of them.
export const lacking = (instance: Instance, manifestJson: string | undefined): string[] => {
  if (instance.enabled) return [];
  const { configSchema } = readManifest(manifestJson);
  const configured = Object.fromEntries(
    Object.entries(instance.configMeta.secretFields).map(([field, { configured: is }]) => [field, is]),
  );
  return missing(configSchema, instance.config ?? {}, configured, {}).map((path) => labelOf(configSchema, path));
};

// labelOf names a field with those that it stands in: "Company › Name".
const labelOf = (schema: Schema, path: string): string => {
  const labels: string[] = [];
  let within: Schema | undefined = schema;
  for (const name of path.split(".")) {
    const field: Field | undefined = within?.[name];
    labels.push(field?.label ?? name);
    within = field?.properties;
  }
  return labels.join(" › ");
};
