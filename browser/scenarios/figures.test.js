// Figures: what a shop sold, in every way of looking at it, saved as a table, and how subscriptions and trials go.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { accessibleEverywhere, adminToken, call, openConsole, stoa, test, useStoa } from "./kit.js";

const slug = "harbor-analytics";
let token;
const buy = async (email, more = {}) => {
  const body = { tierId: "growth", paymentMethod: "card", billingInfo: { email }, ...more };
  const answer = await call(stoa, "POST", `/api/marketplace/products/${slug}/purchase`, { token, body });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body.orderId;
};
const report = async (query) => (await call(stoa, "GET", `/api/v1/admin/reports/revenue?${query}`, { token })).body.data;

useStoa(null, async () => {
  token = await adminToken(stoa);
  await call(stoa, "POST", "/api/v1/admin/discounts", { token, body: { code: "FIGURES", percentOff: 50 } });
  await buy("figures@example.com", { discountCode: "FIGURES" });
  const back = await buy("figures@example.com");
  assert.equal((await call(stoa, "POST", `/api/v1/admin/orders/${back}/refund`, { token })).status, 200);
});

const rowOf = (tab, name) => tab.getByRole("row").filter({ has: tab.getByText(name, { exact: true }) });

test("the figures are looked at by day, product, plan, country and code", async () => {
  const tab = await openConsole("/console/shop/orders");
  await tab.getByRole("link", { name: "Figures" }).click();
  await tab.getByRole("heading", { name: "Sales in EUR" }).waitFor();
  await tab.getByRole("img", { name: "Paid each day, in EUR" }).waitFor();
  await tab.getByRole("heading", { name: "Subscriptions and trials" }).waitFor();
  await accessibleEverywhere(tab, "the figures by day");
  for (const [choice, by, row] of [
    ["By product", "product", slug], ["By plan", "tier", `${slug} · growth`], ["By country", "country", "Unknown"], ["By discount code", "code", "FIGURES"],
  ]) {
    await tab.getByRole("combobox", { name: "Rows" }).click();
    await tab.getByRole("option", { name: choice }).click();
    await tab.getByRole("heading", { name: choice }).waitFor();
    assert.equal(new URL(tab.url()).searchParams.get("by"), by);
    await tab.getByRole("table", { name: choice }).getByRole("row").filter({ hasText: row }).first().waitFor();
    await accessibleEverywhere(tab, `the figures ${choice.toLowerCase()}`);
  }
  const [code] = await rowOf(tab, "FIGURES").allInnerTexts();
  assert.deepEqual(code.split(/\s+/), ["FIGURES", "1", "€9.95", "–", "–", "€9.95", "€9.95"]);
  await tab.getByRole("link", { name: "FIGURES", exact: true }).click();
  await tab.getByRole("heading", { name: "Discounts" }).waitFor();
  await tab.getByRole("link", { name: "FIGURES", exact: true }).waitFor();
  await tab.end();
});

test("a period of one's own is in the address, and in the table that is saved", async () => {
  const { body } = await call(stoa, "GET", "/api/v1/admin/orders?q=figures@example.com", { token });
  const today = body.data.items[0].createdAt.slice(0, 10); // of the order, which may be from yesterday by now
  const tab = await openConsole("/console/shop/figures");
  await tab.getByRole("combobox", { name: "Period" }).click();
  await tab.getByRole("option", { name: "From day to day" }).click();
  await tab.getByLabel("First day (UTC)").fill(today);
  await tab.getByLabel("Last day (UTC)").fill(today);
  await tab.waitForURL((url) => url.searchParams.get("from") === today && url.searchParams.get("to") === today);
  await tab.goto(tab.url()); // as somebody who got the link
  const { totals } = await report(`from=${today}&to=${today}`);
  const refunds = await tab.locator(".summary div").filter({ hasText: "Refunds" }).locator("dd").textContent();
  assert.equal(refunds, `€${totals[0].refunds.toFixed(2)}`);
  const saved = tab.waitForEvent("download");
  await tab.getByRole("button", { name: "Save as CSV" }).click();
  const [head, ...rows] = (await readFile(await (await saved).path(), "utf8")).trimEnd().split("\r\n");
  assert.equal(head, "\ufeffkey,currency,orders,gross,discount,refunds,tax,net");
  assert.equal(rows.length, (await report(`from=${today}&to=${today}`)).rows.length);
  assert.ok(rows.every((row) => row.startsWith(today)), rows.join("\n"));

  await tab.getByLabel("Last day (UTC)").fill("2020-01-01");
  await tab.getByText("The last day is before the first.").waitFor();
  assert.equal(await tab.getByRole("button", { name: "Save as CSV" }).count(), 0);
  await accessibleEverywhere(tab, "figures of no period");
  await tab.goto("/console/shop/figures?from=2020-01-01&to=2020-01-31");
  await tab.getByText("Nothing was paid in this period").waitFor();
  await accessibleEverywhere(tab, "figures without any");
  await tab.goto("/console/shop/figures?from=2020-01-01&to=2022-01-31");
  await tab.getByText("By day, a period has at most 366 days.", { exact: false }).waitFor();
  await tab.end();
});

test("figures of one product are its own, and those of subscriptions say that they are not", async () => {
  const tab = await openConsole("/console/shop/figures?by=product&product=mail-courier");
  await tab.getByRole("heading", { name: "Subscriptions and trials of all products" }).waitFor();
  await tab.getByRole("table", { name: "By product" }).getByText("mail-courier").first().waitFor();
  assert.equal(await tab.getByRole("table", { name: "By product" }).getByText(slug).count(), 0);
  await tab.goto("/console/shop/figures?by=product&product=nothing");
  await tab.getByText("Nothing was paid in this period").waitFor();
  await tab.end();
});

test("figures that do not come say so, and come when asked again", async () => {
  const tab = await openConsole("/console/shop/figures?span=year&by=product");
  await tab.getByRole("table", { name: "By product" }).waitFor();
  await tab.route("**/api/v1/admin/reports/**", (route) => route.fulfill({ status: 503, contentType: "application/json", body: "{}" }));
  await tab.goto("/console/shop/figures?span=year&by=product");
  await tab.getByRole("alert").first().waitFor();
  await accessibleEverywhere(tab, "figures that do not come");
  await tab.unroute("**/api/v1/admin/reports/**");
  await tab.getByRole("button", { name: "Try again" }).first().click();
  await tab.getByRole("table", { name: "By product" }).waitFor();
  await tab.end();
});
