// Markets of other stoas: one stoa sells, another trusts it.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { plugin } from "./archive.js";
import { accessibleEverywhere, adminToken, call, called, fromMenu, openConsole, settled, startStoa, stoa, test, useStoa } from "./kit.js";

const program = (...args) => execFileSync(process.env.STOA_BINARY, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });

let seller, fingerprint, token, market;
after(() => seller?.stop());

// sells starts a stoa with demo data that is a market.
const sells = async () => {
  seller = await startStoa({
    args: ["--market", "on", "--public-url", "{url}", "--name", "Harbor Market", "--trusted-keys", `acme=${publisherKey()}`],
    before: (folder) => {
      program("migrate", "--data", folder);
      [, fingerprint] = program("market", "init", "--data", folder, "--root", join(folder, "root.pem")).match(/fingerprint: (\w+)/);
    },
  });
};

const folder = mkdtempSync(join(tmpdir(), "stoa-markets-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const keyFile = join(folder, "publisher.pem");
const publisherKey = () => program("package", "keygen", keyFile).trim();
const signed = (zip) => {
  const file = join(folder, "package.zip");
  writeFileSync(file, zip);
  program("package", "sign", file, "--key", keyFile);
  return readFileSync(file);
};

// offers puts a product with a package on sale at the market.
const offers = async (slug, name, tier, manifest) => {
  const token = await adminToken(seller);
  const okay = ({ status, body }) => {
    assert.ok(status < 300, JSON.stringify(body));
    return body.data;
  };
  const icon = okay(await call(seller, "GET", "/api/v1/admin/media", { token })).items[0].path;
  okay(await call(seller, "POST", "/api/v1/admin/products", { token, body: {
    slug, name, icon, category: "other", shortDescription: `${name} in short.`, description: "Long.", published: true,
    pricingTiers: [{ id: "one", name: "One", currency: "EUR", billingPeriod: "one-time", features: [], maxInstances: 3, ...tier }],
  } }));
  const archive = signed(plugin({ slug, name, ...manifest }));
  okay(await call(seller, "PUT", `/api/v1/admin/products/${slug}/package?kind=plugin`, { token, body: archive, type: "application/zip" }));
};

useStoa(
  { args: ["--public-url", "{url}"], env: { STOA_MARKET_ALLOW: "127.0.0.1/32" } },
  async () => {
    await sells();
    token = await adminToken(stoa);
  },
);

const grouped = () => fingerprint.match(/.{4}/g).join(" ");

test("a market is added once its fingerprint is compared, then checked and removed", async () => {
  const tab = await openConsole("/console/plugins/markets");
  await tab.getByRole("link", { name: "Add a market" }).click();
  await tab.getByLabel("Address of the market").fill(stoa.url);
  await tab.getByRole("button", { name: "Show its fingerprint" }).click();
  await tab.getByRole("alert").getByText("It has no market there").waitFor();
  await accessibleEverywhere(tab, "an address without a market");
  await tab.getByLabel("Address of the market").fill(`${seller.url}/shop`);
  await tab.getByRole("button", { name: "Show its fingerprint" }).click();
  await tab.locator("[aria-invalid=true]").waitFor();
  await accessibleEverywhere(tab, "an address that is refused");
  await tab.getByLabel("Address of the market").fill(seller.url);
  await tab.getByRole("button", { name: "Show its fingerprint" }).click();
  await tab.getByText(grouped()).waitFor();
  assert.ok(await tab.getByRole("button", { name: "Trust this market" }).isDisabled(), "nobody has compared it yet");
  assert.equal((await call(stoa, "GET", "/api/v1/admin/markets", { token })).body.data.items.length, 1, "nothing is trusted yet");
  await accessibleEverywhere(tab, "a fingerprint to compare");
  await tab.getByLabel(/I have compared/).check();
  await tab.getByRole("button", { name: "Trust this market" }).click();
  await tab.getByRole("heading", { name: "Harbor Market" }).waitFor();
  await tab.getByText("Current", { exact: true }).waitFor();
  await tab.getByText(grouped()).waitFor();
  await accessibleEverywhere(tab, "a market");
  await tab.getByRole("button", { name: "Check now" }).click();
  await tab.getByText("Harbor Market was checked: Current.").waitFor();
  await tab.getByRole("link", { name: "Markets" }).first().click();
  await tab.getByText("Everything it signed is current.").waitFor();
  await settled(tab);
  await accessibleEverywhere(tab, "two markets");
  await tab.getByRole("link", { name: "Harbor Market" }).click();
  await fromMenu(tab, "Remove…");
  await tab.getByRole("dialog").getByRole("button", { name: "Remove Harbor Market" }).click();
  await tab.getByText("Harbor Market is removed.").waitFor();
  assert.equal((await call(stoa, "GET", "/api/v1/admin/markets", { token })).body.data.items.length, 1);
  await tab.end();
});

test("a market that does not answer says so, and what that means", async () => {
  const added = await call(stoa, "POST", "/api/v1/admin/markets", { token: await adminToken(stoa), body: { url: seller.url, rootFingerprint: fingerprint } });
  assert.equal(added.status, 201, JSON.stringify(added.body));
  market = added.body.data.market;
  await seller.kill();
  const tab = await openConsole(`/console/plugins/markets/${added.body.data.market}`);
  await tab.getByRole("button", { name: "Check now" }).click();
  await tab.getByText("Harbor Market was checked: Unreachable.").waitFor();
  await tab.getByRole("main").getByText("nothing is blocked").waitFor();
  await tab.getByRole("main").getByText("it does not answer", { exact: true }).waitFor();
  await accessibleEverywhere(tab, "a market that does not answer");
  await seller.run();
  await tab.getByRole("button", { name: "Check now" }).click();
  await tab.getByText("Harbor Market was checked: Current.").waitFor();
  await tab.getByRole("main").getByText("nothing is blocked").waitFor({ state: "detached" });
  await tab.end();
});

test("a plugin is bought at the market, with consent, and runs; its page shows the license", async () => {
  await offers("greeter", "Greeter", { price: 10 }, { permissions: ["products:read", "orders:read"] });
  const tab = await openConsole(`/console/plugins/markets/${market}`);
  await tab.getByRole("searchbox", { name: "Search this market" }).fill("greeter");
  await tab.getByRole("link", { name: "Greeter" }).click();
  await tab.getByRole("heading", { name: "Greeter", level: 1 }).waitFor();
  await settled(tab);
  await accessibleEverywhere(tab, "a product of a market");
  await tab.getByLabel("orders:read").uncheck();
  await tab.getByRole("radio", { name: "Buy" }).check();
  const popup = tab.context().waitForEvent("page");
  await tab.getByRole("button", { name: "Buy for €10" }).click();
  const checkout = await popup;
  await tab.getByRole("heading", { name: "Buying Greeter" }).waitFor();
  await tab.getByRole("img", { name: /QR code/ }).waitFor();
  await accessibleEverywhere(tab, "a purchase that waits for its payment");
  await tab.goto(`/console/plugins/markets/${market}`);
  await tab.getByRole("heading", { name: "Buying Greeter" }).waitFor(); // whoever comes back finds it
  await checkout.waitForURL((url) => url.origin === seller.url);
  await checkout.getByLabel("E-mail").fill("operator@example.com");
  await checkout.getByRole("button", { name: /^Buy for/ }).click();
  await tab.getByText("Greeter is installed.").waitFor();
  await checkout.close();
  await accessibleEverywhere(tab, "a purchase that has come");
  await tab.getByRole("link", { name: "Open Greeter" }).click();
  const license = tab.getByRole("region", { name: "License" });
  await license.getByText("Valid").waitFor();
  await license.getByText("127.0.0.1").waitFor(); // which seat it has on the market
  await license.getByRole("link", { name: "Harbor Market" }).waitFor();
  await settled(tab);
  await accessibleEverywhere(tab, "the license of a plugin");
  await license.getByRole("button", { name: "Check now" }).click();
  await tab.getByText("The license was checked: Valid.").waitFor();
  const { items } = (await call(stoa, "GET", "/api/v1/admin/plugins/greeter/instances", { token })).body.data;
  assert.deepEqual(items[0].grantedPermissions, ["products:read"]);
  assert.equal((await called(stoa, "/api/v1/shop/plugins/greeter/api/hello")).status, 200);
  await tab.end();
});

test("a market from which something is installed stays", async () => {
  const tab = await openConsole(`/console/plugins/markets/${market}`);
  await fromMenu(tab, "Remove…");
  await tab.getByRole("dialog").getByRole("button", { name: "Remove Harbor Market" }).click();
  await tab.getByRole("dialog").getByRole("alert").waitFor();
  await accessibleEverywhere(tab, "a market that cannot be removed");
  await tab.end();
});

test("a license that has expired is renewed at the market, and goes on", async () => {
  const seen = await adminToken(seller);
  const { items } = (await call(seller, "GET", "/api/v1/admin/licenses?q=operator@example.com", { token: seen })).body.data;
  const ends = async (expiresAt) => {
    const { status, body } = await call(seller, "PATCH", `/api/v1/admin/licenses/${items[0].id}`, { token: seen, body: { expiresAt } });
    assert.equal(status, 200, JSON.stringify(body));
  };
  await ends(new Date(Date.now() - 60_000).toISOString());
  const tab = await openConsole("/console/plugins/greeter");
  const license = tab.getByRole("region", { name: "License" });
  await license.getByRole("button", { name: "Check now" }).click();
  await license.getByText("The license has expired.").waitFor();
  const renew = license.getByRole("link", { name: "My licenses at Harbor Market" });
  assert.equal(await renew.getAttribute("href"), `${seller.url}/licenses`);
  await settled(tab);
  await accessibleEverywhere(tab, "a license that has expired");
  await ends(null);
  await license.getByRole("button", { name: "Check now" }).click();
  await license.getByText("The license has expired.").waitFor({ state: "detached" });
  await license.getByText("Valid").waitFor();
  await tab.end();
});

test("a license that is revoked says so on every page, and another key brings the plugin back", async () => {
  const seen = await adminToken(seller);
  const { items } = (await call(seller, "GET", "/api/v1/admin/licenses?q=operator@example.com", { token: seen })).body.data;
  assert.equal((await call(seller, "POST", `/api/v1/admin/licenses/${items[0].id}/revoke`, { token: seen })).status, 200);
  const tab = await openConsole("/console/plugins/greeter");
  const license = tab.getByRole("region", { name: "License" });
  await license.getByRole("button", { name: "Check now" }).click();
  await license.getByText("The market has revoked the license.").waitFor();
  await tab.getByText("License lapsed", { exact: true }).first().waitFor(); // not "ready"
  await tab.goto("/console/plugins");
  await tab.getByText("The license of greeter has lapsed.").waitFor();
  await settled(tab);
  await accessibleEverywhere(tab, "the banner of a lapsed license");
  await tab.getByRole("link", { name: "See what to do" }).click();
  await license.getByRole("link", { name: "Replace the key" }).click();
  await tab.getByLabel("License key").fill("STOA-WRONG");
  await tab.getByRole("button", { name: "Replace the key" }).click();
  await tab.getByRole("alert").first().waitFor();
  await accessibleEverywhere(tab, "a key that is refused");
  const me = (await call(seller, "GET", "/auth/me", { token: seen })).body.data;
  const granted = await call(seller, "POST", "/api/v1/admin/licenses", { token: seen, body: { productSlug: "greeter", tierId: "one", userId: (me.user ?? me).id } });
  await tab.getByLabel("License key").fill(granted.body.data.licenseKey);
  await tab.getByRole("button", { name: "Replace the key" }).click();
  await tab.getByText("Greeter is installed.").waitFor();
  await tab.goto("/console/plugins/greeter");
  await license.getByText("Valid").waitFor();
  await tab.end();
});

test("a product that is being bought leads to that purchase, which can be stopped; then it is tried", async () => {
  await offers("taster", "Taster", { price: 10, trialDays: 14 }, {});
  const tab = await openConsole(`/console/plugins/markets/${market}/taster`);
  const begin = async () => {
    await tab.getByRole("radio", { name: "Buy" }).check();
    const popup = tab.context().waitForEvent("page");
    await tab.getByRole("button", { name: "Buy for €10" }).click();
    return popup;
  };
  await (await begin()).close();
  await tab.getByRole("heading", { name: "Buying Taster" }).waitFor();
  await tab.goto(`/console/plugins/markets/${market}/taster`);
  await begin(); // closes by itself
  await tab.getByRole("alert").getByText("It is being bought already.").waitFor();
  await settled(tab);
  await accessibleEverywhere(tab, "a product that is being bought");
  await tab.getByRole("link", { name: "Show how far it is" }).click();
  await tab.getByRole("heading", { name: "Buying Taster" }).waitFor();
  await tab.getByRole("button", { name: "Stop this" }).click();
  await tab.getByRole("dialog").getByText("finds the license key in the receipt").waitFor();
  await accessibleEverywhere(tab, "stopping a purchase");
  await tab.getByRole("dialog").getByRole("button", { name: "Stop this" }).click();
  await tab.getByText("Stopped: Buying Taster.").waitFor();
  await tab.getByText("It did not work").waitFor();

  await tab.goto(`/console/plugins/markets/${market}/taster`);
  await tab.getByRole("radio", { name: "Try it first" }).check();
  await tab.getByLabel("E-mail address for the trial").fill("operator@example.com");
  await tab.getByRole("button", { name: "Try it for 14 days" }).click();
  await tab.getByText("Taster is installed.").waitFor();
  await tab.getByRole("link", { name: "Open Taster" }).click();
  const license = tab.getByRole("region", { name: "License" });
  await license.getByText("Trial", { exact: true }).waitFor();
  await license.getByRole("link", { name: "Buy" }).waitFor();
  await settled(tab);
  await accessibleEverywhere(tab, "the license of a trial");
  await tab.end();
});
