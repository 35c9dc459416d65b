// Writes the JSON schemas of Kubernetes' objects for kubeconform, made strict: a field that does not
// exist is an error.
//
//   node schemas.mjs SWAGGER.JSON FOLDER
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [swagger, folder] = process.argv.slice(2);
const { definitions } = JSON.parse(readFileSync(swagger, "utf8"));

// In JSON, these are a number or a text.
for (const name of ["io.k8s.apimachinery.pkg.util.intstr.IntOrString", "io.k8s.apimachinery.pkg.api.resource.Quantity"]) {
  definitions[name] = { oneOf: [{ type: "string" }, { type: "number" }] };
}
for (const schema of Object.values(definitions)) {
  if (schema.properties && schema.additionalProperties === undefined) schema.additionalProperties = false;
}
mkdirSync(folder, { recursive: true });
for (const [name, schema] of Object.entries(definitions)) {
  for (const { group, version, kind } of schema["x-kubernetes-group-version-kind"] ?? []) {
    const file = [kind, ...(group ? [group.split(".")[0]] : []), version].join("-").toLowerCase();
    writeFileSync(join(folder, `${file}.json`), JSON.stringify({ ...closure(name), ...schema }));
  }
}

// closure returns the definitions that one refers to, directly or not.
function closure(name) {
  const found = {};
  const visit = (value) => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (value && typeof value === "object") {
      const ref = typeof value.$ref === "string" && value.$ref.replace("#/definitions/", "");
      if (ref && !(ref in found)) visit(found[ref] = definitions[ref]);
      Object.values(value).forEach(visit);
    }
  };
  visit(definitions[name]);
  return { definitions: found };
}
