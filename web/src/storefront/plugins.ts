// What installed plugins publish for the shop's pages (contract 4.19): their blocks, and their
// embeds for the end of a page. Pages of plugins are shown in sandboxed frames, other data
// as text; none of their scripts runs in the shop. A plugin that fails is left out.
interface Published {
  extensionId: string;
  name: string;
  pluginSlug: string;
  dataUrl?: string;
  targetPosition?: string;
}

const patience = 5_000; // ms for a plugin's answer

const list = async (what: "blocks" | "embeds"): Promise<Published[]> => {
  const response = await fetch(`/api/v1/shop/theme-extensions/${what}?limit=50`, {
    credentials: "omit",
    cache: "no-store",
  });
  if (!response.ok) return [];
  return ((await response.json()) as { data: { items: Published[] } }).data.items;
};

const frame = (from: Published, address: string): HTMLElement => {
  const made = document.createElement("iframe");
  made.className = "plugin-frame";
  made.title = from.name;
  made.setAttribute("sandbox", "allow-scripts allow-forms allow-popups");
  made.src = address;
  return made;
};

const line = (text: string): HTMLElement =>
  Object.assign(document.createElement("p"), { textContent: text.slice(0, 2_000) });

// lines shows what is text or a number in a plugin's data.
const lines = (data: unknown): HTMLElement | null => {
  if (typeof data === "string" || typeof data === "number") return line(String(data));
  if (typeof data !== "object" || data === null || Array.isArray(data)) return null;
  const shown = Object.entries(data)
    .filter(([, value]) => typeof value === "string" || typeof value === "number")
    .slice(0, 20);
  if (shown.length === 0) return null;
  const all = Object.assign(document.createElement("dl"), { className: "lines" });
  for (const [name, value] of shown) {
    const row = document.createElement("div");
    row.append(
      Object.assign(document.createElement("dt"), { textContent: name }),
      Object.assign(document.createElement("dd"), { textContent: String(value).slice(0, 500) }),
    );
    all.append(row);
  }
  return all;
};

const content = async (from: Published, address: string): Promise<HTMLElement | null> => {
  const response = await fetch(address, {
    credentials: "omit",
    cache: "no-store",
    signal: AbortSignal.timeout(patience),
  });
  const type = response.headers.get("Content-Type") ?? "";
  if (!response.ok) return null;
  if (type.startsWith("text/html")) {
    void response.body?.cancel();
    return frame(from, address);
  }
  if (type.includes("json")) return lines(await response.json());
  return type.startsWith("text/plain") ? line(await response.text()) : null;
};

const section = async (from: Published): Promise<HTMLElement | null> => {
  try {
    const shown = from.dataUrl ? await content(from, from.dataUrl) : null;
    if (!shown) return null;
    const made = document.createElement("section");
    made.dataset["appBlock"] = `${from.pluginSlug}/${from.extensionId}`;
    made.append(Object.assign(document.createElement("h2"), { textContent: from.name }), shown);
    return made;
  } catch {
    return null; // too slow, or not what it says it is
  }
};

// showPlugins fills the place at the end of a page. Nothing above it moves.
export const showPlugins = async (place: HTMLElement): Promise<void> => {
  const [blocks, embeds] = await Promise.all([list("blocks"), list("embeds")]);
  const all = [...blocks, ...embeds.filter((one) => one.targetPosition === "body-end")];
  for (const made of await Promise.all(all.map(section))) {
    if (made) place.append(made);
  }
  place.hidden = place.childElementCount === 0;
};
