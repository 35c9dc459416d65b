// Prints the software bill of materials (CycloneDX 1.5, JSON) of a stoa binary: the Go modules
// that are linked in, as the binary itself names them, and the npm packages that are bundled in
// its pages, its host of plugins and its list of passwords, as the lock files name them.
//
//   node scripts/sbom.mjs TREE BINARY VERSION DATE
//
// DATE is the commit's: the same commit gives the same bytes.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const [tree, binary, version, date] = process.argv.slice(2);
const json = (cwd, program, ...args) =>
  JSON.parse(execFileSync(program, args, { cwd, maxBuffer: 64 << 20, stdio: ["ignore", "pipe", "ignore"] }));

// goModules returns the component of each Go module in the binary, and of the standard library.
function goModules() {
  const info = json(tree, "go", "version", "-m", "-json", binary);
  const std = { Path: "std", Version: info.GoVersion.replace(/^go/, "v") };
  return [std, ...(info.Deps ?? [])].map((dep) => {
    const { Path: name, Version: version, Sum: sum } = dep.Replace ?? dep;
    const purl = `pkg:golang/${name}@${encodeURIComponent(version)}`;
    const component = { "bom-ref": purl, type: "library", name, version, scope: "required", purl };
    // go.sum's hash of a module is a SHA-256 of its files' hashes.
    if (sum) component.hashes = [{ alg: "SHA-256", content: Buffer.from(sum.slice(3), "base64").toString("hex") }];
    return component;
  });
}

// npmPackages returns the components of a folder's production packages, and what each needs.
function npmPackages(folder) {
  const bom = json(join(tree, folder), "npm", "sbom", "--package-lock-only", "--omit=dev", "--sbom-format=cyclonedx");
  const purls = new Map(bom.components.map((c) => [c["bom-ref"], c.purl]));
  const root = bom.metadata.component["bom-ref"];
  const needs = ({ dependsOn }) => [...new Set(dependsOn.map((ref) => purls.get(ref)))].sort();
  return {
    components: bom.components.map(({ type, name, version, scope, purl, hashes, licenses }) =>
      ({ "bom-ref": purl, type, name, version, scope, purl, hashes, licenses })),
    direct: bom.dependencies.filter((d) => d.ref === root).flatMap(needs),
    dependencies: bom.dependencies.filter((d) => d.ref !== root)
      .map((d) => ({ ref: purls.get(d.ref), dependsOn: needs(d) })),
  };
}

// byKey sorts entries, and drops those whose key came before: two parts may bundle one package.
const byKey = (entries, key) =>
  [...new Map(entries.map((e) => [e[key], e])).values()].sort((a, b) => (a[key] < b[key] ? -1 : 1));

const go = goModules();
const npm = ["web", "nodehost", "passwords"].map(npmPackages);
const hash = createHash("sha256").update(readFileSync(binary)).digest("hex");
const self = `pkg:generic/stoa@${encodeURIComponent(version)}`;
const direct = [...new Set([...go.map((c) => c.purl), ...npm.flatMap((n) => n.direct)])].sort();
const uuid = `${hash.slice(0, 8)}-${hash.slice(8, 12)}-5${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`;

process.stdout.write(`${JSON.stringify({
  $schema: "http://cyclonedx.org/schema/bom-1.5.schema.json",
  bomFormat: "CycloneDX",
  specVersion: "1.5",
  serialNumber: `urn:uuid:${uuid}`,
  version: 1,
  metadata: {
    timestamp: date,
    component: {
      "bom-ref": self, type: "application", name: "stoa", version, purl: self,
      hashes: [{ alg: "SHA-256", content: hash }], licenses: [{ license: { id: "Apache-2.0" } }],
    },
  },
  components: byKey([...go, ...npm.flatMap((n) => n.components)], "purl"),
  dependencies: [
    { ref: self, dependsOn: direct },
    ...byKey([...go.map((c) => ({ ref: c.purl, dependsOn: [] })), ...npm.flatMap((n) => n.dependencies)], "ref"),
  ],
}, null, 2)}\n`);
