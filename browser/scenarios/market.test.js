// Updates from the market: a product of this shop carries a newer version of a package that
// was installed from it.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { archive, plugin } from "./archive.js";
import { accessible, adminToken, call, openConsole, settled, stoa, test, useStoa } from "./kit.js";

const folder = mkdtempSync(join(tmpdir(), "stoa-market-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const keyFile = join(folder, "publisher.pem");
const stoaPackage = (...args) => execFileSync(process.env.STOA_BINARY, ["package", ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });

let token;
useStoa(
  () => ({ args: ["--trusted-keys", `acme=${stoaPackage("keygen", keyFile).trim()}`] }),
  async () => { token = await adminToken(stoa); },
);

const signed = (zip) => {
  const file = join(folder, "package.zip");
  writeFileSync(file, zip);
  stoaPackage("sign", file, "--key", keyFile);
  return readFileSync(file);
};

const okay = ({ status, body }) => {
  assert.ok(status < 300, JSON.stringify(body));
  return body.data;
};

const publish = async (product, zip, kind = "plugin") =>
  okay(await call(stoa, "PUT", `/api/v1/admin/products/${product}/package?kind=${kind}`, { token, body: signed(zip), type: "application/zip" }));

const installFromMarket = async (product, body = {}) =>
  okay(await call(stoa, "POST", `/api/v1/admin/market/${product}/install`, { token, body }));

const offer = async (slug, price) => okay(await call(stoa, "POST", "/api/v1/admin/products", { token, body: {
  slug, name: `Product ${slug}`, category: "other", shortDescription: "Short.", description: "Long.", published: true,
  icon: okay(await call(stoa, "GET", "/api/v1/admin/media", { token })).items[0].path,
  pricingTiers: [{ id: "one", name: "One", price, currency: "EUR", billingPeriod: "one-time", features: [], maxInstances: 1 }],
} }));

test("a plugin from the market is updated on its page, with consent to what the new version asks for", async () => {
  await offer("greetings", 0);
  await publish("greetings", plugin({ permissions: ["products:read"] }));
  await installFromMarket("greetings");
  const tab = await openConsole("/console/plugins/greeter");
  await settled(tab);
  assert.equal(await tab.getByRole("button", { name: /^Update to/ }).count(), 0, "nothing newer is offered");
  await publish("greetings", plugin({ version: "1.1.0", permissions: ["products:read", "orders:read", "users:read"] }));
  await tab.goto("/console/plugins");
  await tab.getByText("1.1.0 available").waitFor();
  await tab.getByRole("link", { name: "Greeter" }).click();
  await tab.getByRole("button", { name: "Update to 1.1.0" }).click();
  const dialog = tab.getByRole("dialog");
  await dialog.getByText("Replaces version 1.0.0.").waitFor();
  await settled(tab);
  assert.equal(await dialog.getByLabel("License key").count(), 0, "a free product needs no key");
  await accessible(tab, "the dialog of an update");
  await dialog.getByRole("button", { name: "Update to 1.1.0" }).click();
  await dialog.getByText("Greeter was upgraded from 1.0.0 to 1.1.0.").waitFor();
  const permissions = async () => okay(await call(stoa, "GET", "/api/v1/admin/plugins/greeter/instances", { token })).items[0].grantedPermissions.toSorted();
  assert.deepEqual(await permissions(), ["products:read"], "nothing is granted before it is consented to");
  await dialog.getByLabel("orders:read").check();
  await dialog.getByRole("button", { name: "Grant 1 permission" }).click();
  await tab.getByText("Granted to 1 instance.").waitFor();
  assert.deepEqual(await permissions(), ["orders:read", "products:read"]);
  await dialog.waitFor({ state: "detached" });
  assert.equal(await tab.getByRole("button", { name: /^Update to/ }).count(), 0, "nothing newer is offered any more");
  await tab.end();
});

test("an update of a product that costs needs a license key, and says why one is refused", async () => {
  const product = "dusk-pack";
  const theme = (version) => archive({ "theme.json": { schemaVersion: 1, slug: "dusk", name: "Dusk", version, target: "shop", entry: "dusk.css" }, "dusk.css": "body { color: #111 }" });
  await offer(product, 10);
  await publish(product, theme("1.0.0"), "theme-shop");
  const me = okay(await call(stoa, "GET", "/auth/me", { token }));
  const grant = async () => okay(await call(stoa, "POST", "/api/v1/admin/licenses", { token, body: { productSlug: product, tierId: "one", userId: (me.user ?? me).id } }));
  const { licenseKey } = await grant();
  await installFromMarket(product, { licenseKey });
  await publish(product, theme("1.1.0"), "theme-shop");
  const revoked = await grant();
  okay(await call(stoa, "POST", `/api/v1/admin/licenses/${revoked.id}/revoke`, { token }));
  const tab = await openConsole("/console/themes/theme-shop/dusk");
  await tab.getByRole("button", { name: "Update to 1.1.0" }).click();
  const dialog = tab.getByRole("dialog");
  await dialog.getByLabel("License key").fill(revoked.licenseKey);
  await dialog.getByRole("button", { name: "Update to 1.1.0" }).click();
  await dialog.getByRole("alert").getByText("revoked").waitFor();
  await dialog.getByLabel("License key").fill(licenseKey);
  await dialog.getByRole("button", { name: "Update to 1.1.0" }).click();
  await dialog.getByText("Dusk 1.1.0 is installed.").waitFor();
  await tab.end();
});
