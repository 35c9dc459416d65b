// Archives of extensions for scenarios: ZIP files whose entries are stored as they are.
// zlib.crc32 is younger than the oldest Node.js that the tests run on.
const crc32 = (bytes) => {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
};

const header = (signature, fields) => {
  const bytes = Buffer.alloc(4 + fields.reduce((sum, [size]) => sum + size, 0));
  bytes.writeUInt32LE(signature);
  let at = 4;
  for (const [size, value] of fields) at = bytes.writeUIntLE(value, at, size);
  return bytes;
};

// archive returns a ZIP file. Values that are not texts are written as JSON.
export const archive = (files) => {
  const locals = [], entries = [];
  let at = 0;
  for (const [path, content] of Object.entries(files)) {
    const name = Buffer.from(path), body = Buffer.from(typeof content === "string" ? content : JSON.stringify(content));
    const shared = [[2, 20], [2, 0x800], [2, 0], [2, 0], [2, 0x21], [4, crc32(body)], [4, body.length], [4, body.length], [2, name.length], [2, 0]];
    entries.push(header(0x02014b50, [[2, 20], ...shared, [2, 0], [2, 0], [2, 0], [4, 0], [4, at]]), name);
    locals.push(header(0x04034b50, shared), name, body);
    at += 30 + name.length + body.length;
  }
  const count = Object.keys(files).length, size = entries.reduce((sum, e) => sum + e.length, 0);
  return Buffer.concat([...locals, ...entries, header(0x06054b50, [[2, 0], [2, 0], [2, count], [2, count], [4, size], [4, at], [2, 0]])]);
};

const code = `export default async function (app) {
  app.get("/api/hello", async (request) => { request.log.info("somebody said hello"); return { hello: true } })
}
`;

// plugin returns the archive of an internal plugin. manifest is what differs from a plain
// one; index is its program.
export const plugin = (manifest, index = code, more = {}) => archive({
  "manifest.json": {
    schemaVersion: 1, slug: "greeter", name: "Greeter", version: "1.0.0", runtimeType: "internal-fastify", entryModule: "index.js", ...manifest,
  },
  "package.json": { type: "module" },
  "index.js": index,
  ...more,
});
