// Discount codes: an administrator makes one, and a buyer pays less with it.
import assert from "node:assert/strict";
import {
  accessibleEverywhere, adminToken, browser, call, openConsole, openTab, signInToShop, stoa, sweep, test, useStoa,
} from "./kit.js";

let token;
useStoa(null, async () => {
  token = await adminToken(stoa);
});

// pick chooses in a field what is found by a part of its name, with the keyboard alone.
const pick = async (tab, label, typed, name) => {
  const field = tab.getByRole("combobox", { name: label });
  await field.focus();
  await field.pressSequentially(typed);
  await tab.getByRole("option").first().filter({ hasText: name }).waitFor();
  await field.press("ArrowDown");
  await field.press("Enter");
  await tab.locator(".mantine-Pill-root", { hasText: name }).waitFor();
};

sweep("a code is made in the console, and switched off", async () => {
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
  await pick(tab, "Products", "harbor", "Harbor Analytics");
  await pick(tab, "Plans", "gro", "Growth");
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

sweep("a code for a plan of any product, found or typed, keeps what nobody changes", async () => {
  const { body } = await call(stoa, "POST", "/api/v1/admin/discounts", { token, body: { code: "ANYPLAN", percentOff: 5, tiers: ["growth"] } });
  const tab = await openConsole(`/console/shop/discounts/${body.data.id}`, { width: 360, height: 740 });
  const plans = tab.getByRole("combobox", { name: "Plans" });
  await tab.locator(".mantine-Pill-root", { hasText: "growth" }).waitFor();
  await plans.focus();
  await plans.pressSequentially("gro"); // no product is named so
  await tab.getByRole("option", { name: /^gro as typed$/ }).waitFor();
  await plans.fill("plus");
  await tab.getByRole("option", { name: /Plus/ }).last().click();
  await accessibleEverywhere(tab, "plans to choose from");
  await tab.getByRole("button", { name: "Save the discount" }).click();
  await tab.getByText("The discount is saved. Orders keep what they had.").waitFor();
  const read = () => call(stoa, "GET", `/api/v1/admin/discounts/${body.data.id}`, { token });
  assert.deepEqual([(await read()).body.data.products, (await read()).body.data.tiers], [undefined, ["growth", "plus"]]);
  await plans.press("Backspace");
  const saved = tab.waitForResponse((answer) => answer.request().method() === "PATCH" && answer.url().includes("/admin/discounts/"));
  await tab.getByRole("button", { name: "Save the discount" }).click();
  await saved;
  await tab.waitForFunction(() => document.querySelectorAll(".mantine-Pill-root").length === 1);
  assert.deepEqual((await read()).body.data.tiers, ["growth"]);
  await tab.getByRole("button", { name: "Delete the discount" }).click();
  await tab.getByRole("dialog", { name: "The discount ANYPLAN is removed for good" }).waitFor();
  await accessibleEverywhere(tab, "a discount before it is removed");
  await tab.getByRole("button", { name: "Delete ANYPLAN" }).click();
  await tab.getByRole("heading", { name: "Discounts", exact: true }).waitFor();
  assert.equal((await read()).status, 404);
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

sweep("an order of an account says what a code took off, and what later payments are", async () => {
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
