// A client of TUF that others wrote, as they ship it, reads the market of a stoa.
//
//   node client.mjs ADDRESS FOLDER [TARGET]
//
// FOLDER/metadata/root.json is the root that it trusts. It refreshes what it knows, downloads the target to FOLDER/targets if
// one is named, and prints {root, key, target, path} as JSON: the version of the root, the key that signed the timestamp,
// what the metadata says of the target, and where the file is.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Updater } from "tuf-js";

const [address, folder, target] = process.argv.slice(2);
const metadataDir = join(folder, "metadata");
const updater = new Updater({
  metadataDir,
  targetDir: join(folder, "targets"),
  metadataBaseUrl: `${address}/api/market/v1/tuf`,
  targetBaseUrl: `${address}/api/market/v1/targets`,
});
await updater.refresh();
const result = {};
if (target) {
  const info = await updater.getTargetInfo(target);
  if (info) {
    result.target = { length: info.length, custom: info.custom };
    result.path = await updater.downloadTarget(info, join(folder, "targets", target.replaceAll("/", "-")));
  }
}
const read = (name) => JSON.parse(readFileSync(join(metadataDir, name), "utf8"));
result.root = read("root.json").signed.version;
result.key = read("timestamp.json").signatures[0].keyid;
console.log(JSON.stringify(result));
