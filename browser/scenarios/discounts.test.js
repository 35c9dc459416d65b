// Discount codes: an administrator makes one, and a buyer pays less with it.
import assert from "node:assert/strict";
import { accessibleEverywhere, adminToken, browser, call, openConsole, openTab, signInToShop, stoa, test, useStoa } from "./kit.js";

let token;
useStoa(null, async () => {
  token = await adminToken(stoa);
});

test("a code is made in the console, and switched off", async () => {
  const tab = await openConsole("/console/shop/discounts");
  await accessibleEverywhere(tab, "an empty list of discounts");
  await tab.getByRole("link", { name: "Make a discount" }).first().click();
  await tab.getByRole("textbox", { name: "Code" }).fill("ab");
  await tab.getByRole("button", { name: "Make a discount" }).click();
  await tab.getByText(/3 to 40 of the letters/).waitFor();
  await tab.getByText(/above 0 and at most 100/).waitFor();
  await accessibleEverywhere(tab, "a discount with faults");
  await tab.getByRole("textbox", { name: "Code" }).fill("launch20");
  await tab.getByRole("textbox", { name: "Percent" }).fill("20");
  await tab.getByRole("textbox", { name: "Products" }).fill("harbor-analytics");
  await tab.getByRole("textbox", { name: "Plans" }).fill("growth");
  await tab.getByRole("button", { name: "Make a discount" }).click();
  await tab.getByRole("heading", { name: "LAUNCH20" }).waitFor();
  await accessibleEverywhere(tab, "a discount");
  await tab.getByText("/checkout/harbor-analytics/growth?code=LAUNCH20").waitFor();
  await tab.getByRole("button", { name: "Switch off" }).click();
  await tab.getByRole("button", { name: "Switch on" }).click();
  await tab.getByRole("button", { name: "Switch off" }).waitFor();
  await tab.goto("/console/shop/discounts");
  await tab.getByRole("link", { name: "LAUNCH20" }).waitFor();
  await accessibleEverywhere(tab, "a list of discounts");
  await tab.end();
});

test("a buyer enters a code, or follows a link that carries it", async () => {
  await call(stoa, "POST", "/api/v1/admin/discounts", { token, body: { code: "HALF", percentOff: 50 } });
  const tab = await openTab(browser, stoa);
  await tab.goto("/checkout/harbor-analytics/growth");
  const total = tab.locator(".total dd");
  const full = await total.textContent();
  await tab.getByRole("button", { name: "Enter a discount code" }).click();
  const field = tab.getByRole("textbox", { name: /Discount code/ });
  await field.fill("nothing");
  await field.press("Enter");
  await tab.getByText("There is no such code.").waitFor();
  await accessibleEverywhere(tab, "a code that is refused");
  await field.fill("half");
  await tab.getByRole("button", { name: "Apply the code" }).click();
  await tab.getByText("HALF is applied.").waitFor();
  assert.notEqual(await total.textContent(), full);
  await accessibleEverywhere(tab, "a checkout with a code");
  await tab.getByRole("button", { name: "Remove it" }).click();
  assert.equal(await total.textContent(), full);

  await tab.goto("/checkout/harbor-analytics/growth?code=half");
  await tab.getByText("HALF is applied.").waitFor();
  const less = await total.textContent();
  await tab.getByRole("textbox", { name: /mail/ }).fill("ada@example.com");
  await tab.getByRole("button", { name: /Buy for/ }).click();
  await tab.waitForURL(/\/orders\//);
  await tab.getByText(less ?? "").first().waitFor();
  const { items } = (await call(stoa, "GET", "/api/v1/admin/orders?q=ada@example.com", { token })).body.data;
  assert.equal(items[0].discount.code, "HALF");
  await tab.getByText("Discount HALF").waitFor();
  await tab.getByText("-€9.95").waitFor();
  await accessibleEverywhere(tab, "an order with a code");
  await tab.goto("/orders");
  await tab.getByText("Discount HALF -€9.95").waitFor();
  await accessibleEverywhere(tab, "orders with a code");
  await tab.end();
});

test("an order of an account says what a code took off, and what later payments are", async () => {
  await call(stoa, "POST", "/api/v1/admin/discounts", { token, body: { code: "FIRST", percentOff: 50 } });
  const purchase = { token, body: { tierId: "growth", paymentMethod: "card", discountCode: "FIRST", billingInfo: { email: stoa.admin.email } } };
  const { body } = await call(stoa, "POST", "/api/marketplace/products/harbor-analytics/purchase", purchase);
  const tab = await openTab(browser, stoa);
  await signInToShop(tab, stoa.admin, `/orders/${body.orderId}`);
  await tab.getByText("Discount FIRST").waitFor();
  await tab.getByText("€9.95, then €19.90 each month").waitFor();
  await tab.goto("/orders");
  const [row] = await tab.locator(".list li").filter({ hasText: body.orderId }).allInnerTexts();
  assert.match(row, /Discount FIRST -€9\.95\s+€9\.95, then €19\.90 each month/);
  await tab.end();
});
