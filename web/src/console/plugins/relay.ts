// What the console does for a plugin's page in a frame: one request to that plugin and
// that instance, and to nothing else.
import { accessToken } from "../../api/session";

export interface Asked {
  url: string;
  method: string;
  headers: [string, string][];
  body: ArrayBuffer | string | null;
}
export interface Answer {
  status: number;
  headers: [string, string][];
  body: ArrayBuffer;
}

const passed = [
  "accept",
  "accept-language",
  "content-type",
  "if-match",
  "if-none-match",
  "if-modified-since",
  "range",
  "idempotency-key",
];
const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];
const nowhere = "http://plugin.invalid";

// relay sends what a page at the path base asked for. It throws for what a page may not
// ask: other addresses than the plugin's own /admin/ and /api/, other headers are left out.
export const relay = async (
  slug: string,
  installationId: string,
  base: string,
  { url, method, headers, body }: Asked,
): Promise<Answer> => {
  const at = new URL(String(url), nowhere + base);
  const upper = String(method).toUpperCase();
  if (at.origin !== nowhere || !/^\/(admin(\/|$)|api\/)/.test(at.pathname) || !methods.includes(upper))
    throw new TypeError("not an address of this plugin");
  const token = await accessToken();
  const sent = new Headers({
    "X-Installation-ID": installationId,
    ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
  });
  for (const [name, value] of headers) if (passed.includes(name.toLowerCase())) sent.set(name, value);
  const answer = await fetch(`/api/v1/admin/plugins/${encodeURIComponent(slug)}${at.pathname}${at.search}`, {
    method: upper,
    headers: sent,
    credentials: "omit",
    redirect: "error",
    cache: "no-store",
    ...(body === null || upper === "GET" || upper === "HEAD" ? {} : { body }),
  });
  return { status: answer.status, headers: [...answer.headers], body: await answer.arrayBuffer() };
};
