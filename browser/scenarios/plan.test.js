// What owners do with the plan and the term of a license, on a phone: change it, think better of it, renew it.
import assert from "node:assert/strict";
import { accessibleEverywhere, adminToken, browser, call, openConsole, openTab, signInToShop, stoa, test, useStoa } from "./kit.js";

const phone = { width: 360, height: 740 };
let token;
useStoa(null, async () => {
  token = await adminToken(stoa);
});

// licenseOf buys a plan for the administrator, and returns the license.
const licenseOf = async (slug, tierId, more = {}) => {
  const body = { tierId, paymentMethod: "card", billingInfo: { email: stoa.admin.email }, ...more };
  const bought = await call(stoa, "POST", `/api/marketplace/products/${slug}/purchase`, { token, body });
  assert.equal(bought.status, 200, JSON.stringify(bought.body));
  const order = await call(stoa, "GET", `/api/marketplace/orders/${bought.body.orderId}`, { token });
  return { id: order.body.licenseId, licenseKey: bought.body.licenseKey };
};
const read = async (id) => (await call(stoa, "GET", `/api/marketplace/licenses/${id}`, { token })).body;
const activate = async (slug, licenseKey, instanceId) => {
  const answer = await call(stoa, "POST", `/api/marketplace/products/${slug}/activate`, { body: { licenseKey, instanceId } });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
};
const openShop = async (path) => {
  const tab = await openTab(browser, stoa, phone);
  await signInToShop(tab, stoa.admin, path);
  return tab;
};
const choose = (tab, plan) => tab.getByRole("radio", { name: plan }).check();

test("a plan that was paid once changes to a dearer one for the difference, and not back", async () => {
  const { id, licenseKey } = await licenseOf("checkout-fields", "single");
  const tab = await openShop(`/licenses/${id}`);
  await tab.getByRole("link", { name: "Change plan" }).click();
  await tab.getByRole("heading", { name: "Change the plan of Checkout Fields" }).waitFor();
  await accessibleEverywhere(tab, "the plans of a license");
  assert.equal(await tab.getByRole("radio", { name: /your plan/ }).isDisabled(), true);
  await choose(tab, /Agency/);
  await tab.getByText("-€49").waitFor();
  assert.equal(await tab.locator(".total dd").textContent(), "€341");
  await tab.getByText("The plan changes when it is paid.").waitFor();
  await accessibleEverywhere(tab, "what a change of plan costs");
  await tab.getByRole("button", { name: "Buy for €341 (test)" }).click();
  await tab.getByText("Your plan is changed to Agency.").waitFor();
  const now = await read(id);
  assert.deepEqual([now.tierId, now.licenseKey], ["agency", licenseKey]);
  await accessibleEverywhere(tab, "a license whose plan was changed");

  await tab.getByRole("link", { name: "Change plan" }).click();
  await choose(tab, /Single/);
  await tab.getByText("What is paid once changes to a dearer plan only.", { exact: false }).waitFor();
  assert.equal(await tab.locator(".form button.primary").count(), 0);
  await accessibleEverywhere(tab, "a plan that a license cannot have");
  await tab.goto("/orders");
  await tab.locator(".list li").filter({ hasText: "Change of plan" }).getByRole("link", { name: "Checkout Fields" }).click();
  await tab.getByText("Change of plan").waitFor();
  await accessibleEverywhere(tab, "the order of a change of plan");
  await tab.end();
});

test("a subscription changes to a cheaper plan with its next period, once its seats fit", async () => {
  const slug = "stock-pilot";
  const { id, licenseKey } = await licenseOf(slug, "fleet");
  for (const host of ["one.example", "two.example"]) await activate(slug, licenseKey, host);
  const tab = await openShop(`/licenses/${id}?change`);
  await choose(tab, /Solo/);
  await tab.getByText(/has 1 seat, and more are in use/).waitFor();
  await tab.getByText("two.example").waitFor();
  await accessibleEverywhere(tab, "a plan with too few seats");
  await tab.getByRole("link", { name: "Free seats" }).click();
  await tab.getByRole("button", { name: "Free this seat: two.example" }).click();
  await tab.getByText("The seat of two.example is free.").waitFor();

  await tab.getByRole("link", { name: "Change plan" }).click();
  await choose(tab, /Solo/);
  await tab.getByText(/^The plan changes on /).waitFor();
  assert.equal(await tab.locator(".total dd").textContent(), "€0");
  await tab.getByRole("main").getByRole("button", { name: "Change plan" }).click();
  await tab.getByText(/^Changes to Solo on /).waitFor();
  assert.deepEqual([(await read(id)).tierId, (await read(id)).next.tierId], ["fleet", "solo"]);
  await accessibleEverywhere(tab, "a license that changes with its next period");
  await tab.goto("/licenses");
  await tab.getByText(/^Changes to Solo on /).waitFor();
  const console = await openConsole(`/console/shop/licenses/${id}`);
  await console.getByText(/^solo from /).waitFor();
  await accessibleEverywhere(console, "a license with a next plan in the console");
  await console.end();

  await tab.goto(`/licenses/${id}`);
  await tab.getByRole("button", { name: "Keep Fleet" }).click();
  await tab.getByText("You keep Fleet.").waitFor();
  assert.equal((await read(id)).next, undefined);
  await tab.end();
});

test("a subscription and a plan that is paid once do not change into each other", async () => {
  const { id } = await licenseOf("harbor-analytics", "growth");
  const tab = await openShop(`/licenses/${id}?change`);
  await choose(tab, /Starter/);
  await tab.getByText("A plan that is paid once and a subscription do not change into each other.", { exact: false }).waitFor();
  await choose(tab, /yearly/);
  await tab.getByRole("button", { name: /^Buy for / }).waitFor();
  await tab.end();
});

test("another order that is open is named, with the way to it", async () => {
  const { id } = await licenseOf("harbor-analytics", "growth");
  const tab = await openShop(`/licenses/${id}`);
  await tab.route("**/change", (route) => route.fulfill({ status: 409, json: { error: "CONFLICT", message: "open", details: { orderId: "order-1" } } }));
  await tab.getByRole("link", { name: "Change plan" }).click();
  await choose(tab, /yearly/);
  await tab.getByText("Another order of this license is open.", { exact: false }).waitFor();
  assert.equal(await tab.getByRole("link", { name: "Open the order" }).getAttribute("href"), "/orders/order-1");
  await tab.end();
});

test("a license is renewed with a code, and with the one that holds for ever", async () => {
  for (const [code, duration] of [["RENEWAL", "once"], ["LASTING", "forever"]])
    await call(stoa, "POST", "/api/v1/admin/discounts", { token, body: { code, percentOff: 50, duration } });
  const { id } = await licenseOf("mail-courier", "pro", { discountCode: "LASTING" });
  const before = (await read(id)).expiresAt;
  const tab = await openShop(`/licenses/${id}`);
  await tab.getByRole("link", { name: "Renew" }).click();
  await tab.getByRole("heading", { name: "Renew Mail Courier" }).waitFor();
  await tab.getByText("LASTING holds for this payment, too.").waitFor();
  await tab.getByText(/^A month is added after /).waitFor();
  assert.equal(await tab.locator(".total dd").textContent(), "€14.50");
  await accessibleEverywhere(tab, "a renewal");
  await tab.getByRole("button", { name: "Buy for €14.50 (test)" }).click();
  await tab.getByText("The license is renewed.").waitFor();
  const after = (await read(id)).expiresAt;
  assert.ok(after > before, `${after} is not after ${before}`);

  const other = await licenseOf("mail-courier", "pro");
  await tab.goto(`/licenses/${other.id}?renew`);
  await tab.getByRole("button", { name: "Enter a discount code" }).click();
  await tab.getByRole("textbox", { name: /Discount code/ }).fill("renewal");
  await tab.getByRole("button", { name: "Apply the code" }).click();
  await tab.getByRole("button", { name: "Buy for €14.50 (test)" }).click();
  await tab.getByText("The license is renewed.").waitFor();
  const { items } = (await call(stoa, "GET", "/api/v1/admin/orders?product=mail-courier&limit=1", { token })).body.data;
  assert.deepEqual([items[0].kind, items[0].discount.code], ["renewal", "RENEWAL"]);
  const console = await openConsole(`/console/shop/orders/${items[0].id}`);
  await console.getByText("Renewal", { exact: true }).waitFor();
  await console.end();
  await tab.end();
});
