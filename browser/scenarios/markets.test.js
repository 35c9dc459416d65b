// Markets of other stoas: one stoa sells, another trusts it.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { after } from "node:test";
import { accessibleEverywhere, adminToken, call, fromMenu, openConsole, settled, startStoa, stoa, test, useStoa } from "./kit.js";

const program = (...args) => execFileSync(process.env.STOA_BINARY, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });

let seller, fingerprint, token;
after(() => seller?.stop());

// sells starts a stoa with demo data that is a market.
const sells = async () => {
  seller = await startStoa({
    args: ["--market", "on", "--public-url", "{url}", "--name", "Harbor Market"],
    before: (folder) => {
      program("migrate", "--data", folder);
      [, fingerprint] = program("market", "init", "--data", folder, "--root", join(folder, "root.pem")).match(/fingerprint: (\w+)/);
    },
  });
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
  const added = await call(stoa, "POST", "/api/v1/admin/markets", { token, body: { url: seller.url, rootFingerprint: fingerprint } });
  assert.equal(added.status, 201, JSON.stringify(added.body));
  await seller.kill();
  const tab = await openConsole(`/console/plugins/markets/${added.body.data.market}`);
  await tab.getByRole("button", { name: "Check now" }).click();
  await tab.getByText("Harbor Market was checked: Unreachable.").waitFor();
  await tab.getByRole("main").getByText("nothing is blocked").waitFor();
  await tab.getByRole("main").getByText("it does not answer").waitFor();
  await accessibleEverywhere(tab, "a market that does not answer");
  await seller.run();
  await tab.getByRole("button", { name: "Check now" }).click();
  await tab.getByText("Harbor Market was checked: Current.").waitFor();
  await tab.getByRole("main").getByText("nothing is blocked").waitFor({ state: "detached" });
  await tab.end();
});
