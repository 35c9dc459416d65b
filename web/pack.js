// Compresses what Vite built, so that the binary holds each file once, in the two forms
// in which browsers get it. An argument names another folder than dist/assets.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const dist = process.argv[2] ?? join(import.meta.dirname, "dist", "assets");
for (const name of readdirSync(dist)) {
  if (!/\.(js|css|svg)$/.test(name)) continue;
  const path = join(dist, name);
  const body = readFileSync(path);
  writeFileSync(`${path}.gz`, gzipSync(body, { level: 9 }));
  writeFileSync(
    `${path}.br`,
    brotliCompressSync(body, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: body.length },
    }),
  );
  rmSync(path);
}
