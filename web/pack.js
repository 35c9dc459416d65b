// Compresses what Vite built, so that the binary holds each file once, in the two forms
// in which browsers get it. A script with texts is there once for each language, in its folder; the names
// of these folders have a hash of what is in them (languages.json). Another folder than dist/assets can be
// named.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import zlib, { constants } from "node:zlib";
import { pseudo, read, tags } from "./texts.js";

const dist = process.argv[2] ?? join(import.meta.dirname, "dist", "assets");

const quickly = 5; // a quality of Brotli

// packed are the files that threads compress meanwhile.
const packed = [];

const write = async (path, name, body, options) => writeFileSync(path, await promisify(zlib[name])(body, options));

const pack = (path, body, quality = constants.BROTLI_MAX_QUALITY) => {
  const params = { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: body.length };
  packed.push(write(`${path}.gz`, "gzip", body, { level: 9 }), write(`${path}.br`, "brotliCompress", body, { params }));
};

// sectionOf is the part of a catalog that the address of an import names (vite.config.ts).
const sectionOf = (catalog, query) => {
  const asked = new URLSearchParams(query);
  const only = asked.get("only")?.split(","),
    without = asked.get("without")?.split(",") ?? [];
  return Object.fromEntries(
    Object.entries(catalog[asked.get("section")]).filter(
      ([name]) => (!only || only.includes(name)) && !without.includes(name),
    ),
  );
};

const mark = /JSON\.parse\((["'`])@@texts ([^@]+)@@\1\)/g;
const made = pseudo();
const catalogs = { ...Object.fromEntries(tags().map((tag) => [tag, read(tag)])), ...made };
const hashes = Object.fromEntries(Object.keys(catalogs).map((tag) => [tag, createHash("sha256")]));
for (const tag of Object.keys(catalogs)) mkdirSync(join(dist, tag));

for (const name of readdirSync(dist)) {
  if (!/\.(js|css|svg)$/.test(name)) continue;
  const path = join(dist, name);
  const body = readFileSync(path, "utf8");
  rmSync(path);
  if (!body.includes("@@texts ")) {
    pack(path, body);
    continue;
  }
  for (const [tag, catalog] of Object.entries(catalogs)) {
    const filled = body.replace(mark, (_, quote, query) => JSON.stringify(sectionOf(catalog, query)));
    if (filled.includes("@@texts ")) throw new Error(`${name}: a mark of texts is left`);
    hashes[tag].update(name).update(filled);
    // Only tests of the pages ask for pseudo languages.
    pack(join(dist, tag, name), filled, tag in made ? quickly : undefined);
  }
}
const folders = Object.entries(hashes).map(([tag, hash]) => [tag, `${tag}-${hash.digest("hex").slice(0, 8)}`]);
writeFileSync(join(dist, "languages.json"), JSON.stringify(Object.fromEntries(folders)));

// The pages that stoa writes itself have the pseudo languages, too.
mkdirSync(join(dist, "pseudo"));
for (const [tag, catalog] of Object.entries(made))
  writeFileSync(join(dist, "pseudo", `${tag}.json`), JSON.stringify(catalog));

await Promise.all(packed);
