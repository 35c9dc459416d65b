// Uses what openapi-typescript and orval generate, for the compiler only.
import { getProduct, listProducts, login } from "./client";
import type { components, paths } from "./types";

type Cell = NonNullable<components["schemas"]["ProductDetail"]["comparison"]>["rows"][number]["values"][string];
export const cell: Cell = Math.random() < 0.5 ? true : "up to 3";
export const token: paths["/auth/login"]["post"]["responses"]["200"]["content"]["application/json"]["data"]["token_type"] = "Bearer";

export async function names(): Promise<string[]> {
  const signedIn = await login({ email: "ada@example.com", password: "secret" });
  if (signedIn.status !== 200) return [signedIn.data.success ? "" : signedIn.data.error.message];
  const list = await listProducts({ sort: "name" });
  if (list.status !== 200) return [list.data.error];
  const first = list.data.products[0];
  const detail = first && (await getProduct(first.slug));
  return detail?.status === 200 ? detail.data.pricingTiers.map((tier) => tier.name) : [];
}
