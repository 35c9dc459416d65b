// Purchases for another stoa: the buyer pays here, and the other stoa fetches the license key, which no page shows.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { join } from "node:path";
import { accessibleEverywhere, browser, call, openTab, stoa, test, useStoa } from "./kit.js";

const slug = "mail-courier";
const program = (...args) => execFileSync(process.env.STOA_BINARY, args, { stdio: "ignore" });

useStoa({
  args: ["--market", "on", "--public-url", "{url}"],
  before: (folder) => {
    program("migrate", "--data", folder);
    program("market", "init", "--data", folder, "--root", join(folder, "root.pem"));
  },
});

// begin begins a handoff as the server of another stoa does, whose console is that of this one.
const begin = async () => {
  const secret = randomBytes(32);
  const { status, body } = await call(stoa, "POST", "/api/market/v1/handoffs", {
    body: {
      productSlug: slug, tierId: "pro", instance: "127.0.0.1", platformId: "b", returnUrl: `${stoa.url}/docs`,
      secretHash: createHash("sha256").update(secret).digest("hex"),
    },
  });
  assert.equal(status, 201);
  const claim = () => call(stoa, "POST", `/api/market/v1/handoffs/${body.handoffId}/claim`, { body: { secret: secret.toString("base64url") } });
  return { path: body.checkoutUrl.slice(stoa.url.length), claim };
};

test("a license is bought for another stoa on a phone, and no page shows its key", async () => {
  const { path, claim } = await begin();
  const tab = await openTab(browser, stoa, { width: 360, height: 740 });
  await tab.goto(path);
  await tab.getByText("This license goes to the stoa 127.0.0.1").waitFor();
  await tab.getByRole("button", { name: /Buy for/ }).waitFor();
  assert.equal(await tab.getByRole("link", { name: "Choose another plan" }).count(), 0, "it would drop the handoff");
  await accessibleEverywhere(tab, "a checkout for another stoa");
  assert.equal((await claim()).status, 202);
  await tab.getByRole("textbox", { name: /mail/ }).fill("buyer@example.com");
  await tab.getByRole("button", { name: /Buy for/ }).click();
  await tab.getByRole("heading", { name: "Paid" }).waitFor();
  await accessibleEverywhere(tab, "a license that another stoa fetches");
  assert.equal(await tab.getByText(/STOA-/).count(), 0);
  const { status, body } = await claim();
  assert.equal(status, 200);
  assert.match(body.licenseKey, /^STOA-/);
  assert.ok(!JSON.stringify(await tab.evaluate(() => ({ ...sessionStorage, ...localStorage }))).includes(body.licenseKey));
  await tab.goto("/orders"); // what this tab keeps of the order leads back to the handoff
  await tab.getByRole("link", { name: "Mail Courier" }).click();
  await tab.getByRole("heading", { name: "Paid" }).waitFor();
  await tab.getByRole("link", { name: "Back to 127.0.0.1" }).click();
  await tab.waitForURL("**/docs");
  await tab.end();
});

test("a handoff that is over says what to do", async () => {
  const tab = await openTab(browser, stoa);
  await tab.goto(`/checkout/${slug}/pro?handoff=nobodys`);
  await tab.getByRole("heading", { name: "This purchase is over" }).waitFor();
  await accessibleEverywhere(tab, "a handoff that is over");
  const { path } = await begin();
  await tab.goto(path.replace("/pro?", "/team?")); // another plan than that of the handoff
  await tab.getByRole("heading").first().waitFor();
  assert.equal(await tab.getByRole("button", { name: /Buy for/ }).count(), 0);
  await tab.end();
});

test("what a handoff adds to the checkout is loaded for those who have one", async () => {
  const tab = await openTab(browser, stoa);
  const files = () => tab.evaluate(() => performance.getEntriesByType("resource").map((f) => f.name).filter((name) => /Handoff/.test(name)).length);
  await tab.goto(`/checkout/${slug}/pro`);
  await tab.getByRole("button", { name: /Buy for/ }).waitFor();
  assert.equal(await files(), 0);
  await tab.end();
});
