// Uses what orval and openapi-typescript generate like programs would: each registers, reads the
// catalog, buys a license, activates and verifies it. The arguments are the shop's address and a password.
import { activateLicense, getProduct, listOrders, listProducts, purchaseProduct, register, verifyLicense } from "./client";
import type { components, paths } from "./types";

declare const process: { argv: string[]; exitCode?: number };
const [, , base = "", password = ""] = process.argv;

// orval's functions ask for paths, as a page of the shop would.
const send = globalThis.fetch;
globalThis.fetch = (path, init) => send(base + String(path), init);

type Cell = NonNullable<components["schemas"]["ProductDetail"]["comparison"]>["rows"][number]["values"][string];
export const cell: Cell = Math.random() < 0.5 ? true : "up to 3";

const must = (ok: boolean, what: unknown) => {
  if (!ok) throw new Error(JSON.stringify(what));
};

async function withFunctions(): Promise<string> {
  const user = await register({ email: "bob@example.com", username: "bob", password });
  if (user.status !== 201) throw new Error(user.data.error.message);
  const headers = { Authorization: `Bearer ${user.data.data.access_token}` };
  const list = await listProducts({ sort: "name" });
  if (list.status !== 200) throw new Error(list.data.message);
  const slug = list.data.products.find((p) => p.slug === "mail-pack")?.slug ?? "";
  const product = await getProduct(slug);
  if (product.status !== 200) throw new Error(product.data.message);
  const tier = product.data.pricingTiers.find((t) => t.id === "once");
  const keyed = { headers: { ...headers, "Idempotency-Key": "an-order-of-bob" } };
  const bought = await purchaseProduct(slug, { tierId: tier?.id ?? "", paymentMethod: "card" }, keyed);
  if (bought.status !== 200) throw new Error(JSON.stringify(bought.data));
  must(bought.headers.get("x-stoa-payments") === "test", "no X-Stoa-Payments");
  const again = await purchaseProduct(slug, { tierId: tier?.id ?? "", paymentMethod: "card" }, keyed);
  must(again.headers.get("idempotency-replayed") === "true", again.data);
  const use = { licenseKey: bought.data.licenseKey, instanceId: "bob.example" };
  const activated = await activateLicense(slug, use);
  if (activated.status !== 200) throw new Error(JSON.stringify(activated.data));
  const verified = await verifyLicense(slug, use);
  if (verified.status !== 200) throw new Error(JSON.stringify(verified.data));
  const orders = await listOrders(undefined, { headers });
  if (orders.status !== 200) throw new Error(JSON.stringify(orders.data));
  return `${product.data.name} ${verified.data.valid} ${orders.data.orders.length}`;
}

type Sent<P extends keyof paths> = paths[P] extends { post: { requestBody: { content: { "application/json": infer B } } } } ? B : never;
type Posted<P extends keyof paths, S extends number> = paths[P] extends { post: { responses: infer R } }
  ? S extends keyof R
    ? R[S] extends { content: { "application/json": infer A } } ? A : never
    : never
  : never;
type Got<P extends keyof paths> = paths[P] extends { get: { responses: { 200: { content: { "application/json": infer A } } } } } ? A : never;

async function post<P extends keyof paths, S extends number>(
  path: P, status: S, body: Sent<P>, slug = "",
): Promise<Posted<P, S>> {
  const res = await fetch(path.replace("{slug}", slug), {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
  });
  const answer = (await res.json()) as Posted<P, S>;
  must(res.status === status, answer);
  return answer;
}

async function get<P extends keyof paths>(path: P, slug = "", query = {}): Promise<Got<P>> {
  const res = await fetch(`${path.replace("{slug}", slug)}?${new URLSearchParams(query)}`);
  const answer = (await res.json()) as Got<P>;
  must(res.status === 200, answer);
  return answer;
}

async function withTypes(): Promise<string> {
  const user = await post("/auth/register", 201, { email: "eve@example.com", username: "eve", password });
  const list = await get("/api/marketplace/products");
  const slug = list.products.find((p) => p.slug === "mail-pack")?.slug ?? "";
  const product = await get("/api/marketplace/products/{slug}", slug);
  const bought = await post(
    "/api/marketplace/products/{slug}/purchase", 200, { tierId: "once", paymentMethod: "card" }, slug,
  );
  const use = { licenseKey: bought.licenseKey, instanceId: "eve.example" };
  const activated = await post("/api/marketplace/products/{slug}/activate", 200, use, slug);
  const verified = await get("/api/marketplace/products/{slug}/license/verify", slug, use);
  return `${user.data.user.username} ${product.name} ${activated.license.status} ${verified.valid}`;
}

withFunctions()
  .then(async (first) => console.log(`${first}, ${await withTypes()}`))
  .catch((err) => {
    console.error(err);
    process.exitCode = 1;
  });
