// Trials: a guest tries a plan, a customer with an account tries another, activates it, and buys it in place.
import assert from "node:assert/strict";
import { accessibleEverywhere, adminToken, browser, call, openConsole, openTab, signInToShop, stoa, test, useStoa } from "./kit.js";

const slug = "mail-courier";
let token;
useStoa(null, async () => {
  token = await adminToken(stoa);
});

test("a guest tries a plan on a phone, and once only", async () => {
  const tab = await openTab(browser, stoa, { width: 390, height: 844 });
  await tab.goto(`/p/${slug}#plans`);
  await tab.getByRole("link", { name: "Try Pro for 14 days" }).click();
  await tab.getByRole("heading", { name: /^Try .* for 14 days$/ }).waitFor();
  await tab.getByRole("button", { name: "Start the trial" }).click();
  await tab.getByText("Enter an e-mail address").waitFor();
  await accessibleEverywhere(tab, "a trial without an address");
  await tab.getByRole("textbox", { name: /mail/ }).fill("guest@example.com");
  await tab.getByRole("button", { name: "Start the trial" }).click();
  await tab.waitForURL(/\/orders\//);
  await tab.getByText(/STOA-/).first().waitFor();
  await accessibleEverywhere(tab, "a trial that has begun");
  await tab.goto(`/checkout/${slug}/pro?try`);
  await tab.getByRole("textbox", { name: /mail/ }).fill("guest@example.com");
  await tab.getByRole("button", { name: "Start the trial" }).click();
  await tab.getByText("You have tried this product.").waitFor();
  await accessibleEverywhere(tab, "a trial that is refused");
  await tab.goto(`/checkout/${slug}/pro?trial`);
  await tab.getByRole("textbox", { name: "Key of your trial" }).waitFor();
  await accessibleEverywhere(tab, "a checkout that asks for the key of a trial");
  await tab.end();
});

test("a trial is activated, and bought in place", async () => {
  const tab = await openTab(browser, stoa, { width: 390, height: 844 });
  await signInToShop(tab, stoa.admin, `/checkout/${slug}/pro?try`);
  await tab.getByText(`The key is sent to ${stoa.admin.email}.`).waitFor();
  await tab.getByRole("button", { name: "Start the trial" }).click();
  await tab.waitForURL(/\/orders\//);
  const key = (await tab.getByText(/STOA-/).first().textContent()).trim();
  const activated = await call(stoa, "POST", `/api/marketplace/products/${slug}/activate`, {
    body: { licenseKey: key, instanceId: "shop.example" },
  });
  assert.equal(activated.body.trial, true);
  await tab.goto("/licenses");
  await tab.getByText(/Trial until/).first().waitFor();
  await accessibleEverywhere(tab, "licenses with a trial");
  await tab.getByRole("link", { name: /^Buy / }).first().click();
  await tab.getByText("This purchase turns your trial into the license").waitFor();
  await accessibleEverywhere(tab, "a checkout that buys a trial");
  await tab.getByRole("button", { name: /Buy for/ }).click();
  await tab.waitForURL(/\/orders\//);
  await tab.getByText(key).first().waitFor();
  const verified = await call(stoa, "GET", `/api/marketplace/products/${slug}/license/verify?licenseKey=${key}&instanceId=shop.example`, {});
  assert.deepEqual([verified.body.valid, verified.body.trial], [true, undefined]);
  await tab.goto("/licenses");
  await tab.getByText(/Paid until/).first().waitFor();
  assert.equal(await tab.getByText(/Trial until/).count(), 0);
  await tab.end();
});

test("the console shows what is a trial", async () => {
  const { items } = (await call(stoa, "GET", "/api/v1/admin/orders?q=guest@example.com", { token })).body.data;
  const tab = await openConsole(`/console/shop/orders/${items[0].id}`);
  await tab.getByText("It gave a trial, which costs nothing").waitFor();
  await accessibleEverywhere(tab, "the order of a trial");
  await tab.goto(`/console/shop/licenses/${items[0].licenseId}`);
  await tab.getByText("Not bought yet: it ends by itself").waitFor();
  await accessibleEverywhere(tab, "a license that is a trial");
  await tab.end();
});
