// A look into an archive before it is sent: which kind of extension it is, and what its
// manifest says. It trusts nothing and checks nothing; stoa does both after the upload.
import { readManifest, type Manifest } from "../manifest";

export const kinds = ["plugin", "theme-shop", "theme-admin", "theme-app-shop", "theme-app-admin", "bundle"] as const;
export type Kind = (typeof kinds)[number];

export interface Peek {
  kind: Kind;
  manifest: Manifest;
}

const manifests = ["bundle.json", "theme-app.json", "theme.json", "manifest.json"];
const tooLong = 1 << 20; // no manifest is longer

// peek returns null if it cannot tell.
export const peek = async (file: Blob): Promise<Peek | null> => {
  try {
    const entries = await directory(file);
    const found = manifests
      .map((name) =>
        entries.find((e) => e.name === name || (e.name.split("/").length === 2 && e.name.endsWith(`/${name}`))),
      )
      .find(Boolean);
    if (!found) return null;
    const json = await read(file, found);
    return {
      kind: kindOf(found.name.split("/").at(-1) as string, JSON.parse(json) as Record<string, unknown>),
      manifest: readManifest(json),
    };
  } catch {
    return null;
  }
};

const kindOf = (name: string, raw: Record<string, unknown>): Kind => {
  const target = raw["target"] === "admin" ? "admin" : "shop";
  if (name === "bundle.json" || Array.isArray(raw["items"])) return "bundle";
  if (name === "theme-app.json" || typeof raw["runtime"] === "object") return `theme-app-${target}`;
  return name === "theme.json" || (raw["entry"] !== undefined && raw["runtimeType"] === undefined)
    ? `theme-${target}`
    : "plugin";
};

interface Entry {
  name: string;
  method: number;
  size: number;
  at: number;
}

// directory reads the names at the end of a ZIP archive.
const directory = async (file: Blob): Promise<Entry[]> => {
  const tail = await view(file, Math.max(0, file.size - 65_557), file.size);
  let end = tail.byteLength - 22;
  while (end >= 0 && tail.getUint32(end, true) !== 0x06054b50) end--;
  if (end < 0) return [];
  const [count, size, start] = [
    tail.getUint16(end + 10, true),
    tail.getUint32(end + 12, true),
    tail.getUint32(end + 16, true),
  ];
  const list = await view(file, start, start + size);
  const entries: Entry[] = [];
  for (let at = 0, i = 0; i < count && at + 46 <= list.byteLength && list.getUint32(at, true) === 0x02014b50; i++) {
    const length = list.getUint16(at + 28, true);
    const name = new TextDecoder().decode(new Uint8Array(list.buffer, at + 46, length));
    entries.push({
      name,
      method: list.getUint16(at + 10, true),
      size: list.getUint32(at + 20, true),
      at: list.getUint32(at + 42, true),
    });
    at += 46 + length + list.getUint16(at + 30, true) + list.getUint16(at + 32, true);
  }
  return entries;
};

const read = async (file: Blob, entry: Entry): Promise<string> => {
  if (entry.size > tooLong) throw new Error("too long");
  const head = await view(file, entry.at, entry.at + 30);
  const start = entry.at + 30 + head.getUint16(26, true) + head.getUint16(28, true);
  const packed = file.slice(start, start + entry.size);
  if (entry.method === 0) return packed.text();
  return limited(packed.stream().pipeThrough(new DecompressionStream("deflate-raw")));
};

// limited reads a stream to its end, unless it is longer than any manifest.
const limited = async (stream: ReadableStream<BufferSource>): Promise<string> => {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    text += next.value;
    if (text.length > tooLong) throw new Error("too long");
  }
  return text;
};

const view = async (file: Blob, from: number, to: number): Promise<DataView<ArrayBuffer>> =>
  new DataView(await file.slice(from, to).arrayBuffer());
