// The whole first run, without a step beside the pages: from a stoa that has nothing to a
// license that somebody bought and its administrator sees.
import assert from "node:assert/strict";
import { accessible, browser, journey, openTab, settled, stoa, test, useStoa } from "./kit.js";

useStoa({ demo: false });

const admin = { email: "root@example.com", username: "root", password: "correct horse battery" };
const buyer = { email: "ada@example.com", username: "ada", password: "battery horse correct" };

const fillIn = async (form, { email, username, password }) => {
  await form.getByLabel("E-mail").fill(email);
  if (username) await form.getByLabel("Username").fill(username);
  await form.getByRole("textbox", { name: "Password" }).fill(password);
};

// setUp makes the administrator, from /console and the link in the log to the guided page.
const setUp = async (tab) => {
  await tab.goto("/console");
  await tab.waitForURL(`${stoa.url}/setup`);
  await tab.getByText("Open the set-up link that stoa printed when it started").waitFor();
  await accessible(tab);
  const [link] = /http:\S+\/setup#\S+/.exec(stoa.log());
  await tab.goto("about:blank"); // a link from a terminal opens anew
  await tab.goto(link);
  const way = journey(tab);
  await fillIn(tab, admin);
  await way.click(tab.getByRole("button", { name: "Create administrator" }));
  await way.click(tab.getByRole("link", { name: "Set up the shop in the console" }));
  await fillIn(tab, { ...admin, username: null });
  await way.click(tab.getByRole("button", { name: "Sign in" }));
  await tab.getByRole("heading", { name: "Set up your shop" }).waitFor();
  return way;
};

// offer writes a product and publishes it, beginning at the guided page.
const offer = async (tab, way) => {
  await way.click(tab.getByRole("link", { name: "Add a product" }));
  await tab.getByRole("heading", { level: 1, name: "New product" }).waitFor();
  await tab.getByLabel("Name").first().fill("Gift Cards");
  await tab.getByLabel("Tagline").fill("Sell gift cards.");
  await tab.getByRole("textbox", { name: "Category" }).or(tab.getByRole("combobox", { name: "Category" })).first().fill("marketing");
  await tab.getByLabel("Description", { exact: false }).first().fill("For the shop and the till.");
  await tab.getByRole("group", { name: "Tier 1" }).getByLabel("Name").fill("Pro");
  await tab.getByRole("group", { name: "Pro" }).getByLabel("Price").fill("9.90");
  const [chooser] = await Promise.all([tab.waitForEvent("filechooser"), way.click(tab.getByRole("button", { name: "Upload an icon" }))]);
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9v9z"/></svg>`;
  await chooser.setFiles({ name: "icon.svg", mimeType: "image/svg+xml", buffer: Buffer.from(svg) });
  await tab.getByLabel("Icon").and(tab.locator("[value^='/media/']")).waitFor();
  await way.click(tab.getByRole("button", { name: "Save draft" }));
  await tab.waitForURL(`${stoa.url}/console/shop/products/gift-cards`);
  await way.click(tab.getByRole("button", { name: "Publish" }));
  await way.click(tab.getByRole("dialog").getByRole("button", { name: "Publish" }));
  await tab.locator(".badge", { hasText: "Published" }).waitFor();
};

// buy makes an account on the way through the checkout, and returns the license's key.
const buy = async (tab, way) => {
  await way.click(tab.getByRole("link", { name: "Gift Cards" }).first());
  await way.click(tab.getByRole("link", { name: /^Buy/ }).first());
  await way.click(tab.getByRole("main").getByRole("link", { name: "Sign in", exact: true }));
  await way.click(tab.getByRole("button", { name: "Create an account" }));
  await tab.getByLabel("Username").waitFor();
  await fillIn(tab, buyer);
  await way.click(tab.getByRole("main").getByRole("button", { name: "Create an account" }).last());
  await tab.getByText(`You buy as ${buyer.email}.`).waitFor();
  await way.click(tab.getByRole("button", { name: "Buy for €9.90 (test)" }));
  await tab.getByRole("heading", { name: "Thank you" }).waitFor();
  return tab.locator(".key code").textContent();
};

test("from an empty stoa to a sold license, by pages alone", async (t) => {
  const tab = await openTab(browser, stoa);
  const way = await setUp(tab);
  await offer(tab, way);
  t.diagnostic(`operator: ${way.clicks()} clicks, ${way.screens()} screens from the set-up link to a product for sale`);

  const shop = await openTab(browser, stoa, { width: 360, height: 800 });
  await shop.goto("/");
  const bought = journey(shop);
  const key = await buy(shop, bought);
  assert.match(key, /^STOA(-[0-9A-Z]{5}){6}$/);
  await settled(shop);
  await accessible(shop);
  t.diagnostic(`buyer: ${bought.clicks()} clicks, ${bought.screens()} screens from the shop to the key, with a new account`);
  await shop.end();

  // The administrator sees the sale on the overview, the order behind it, and its license.
  await tab.getByRole("navigation").getByRole("link", { name: "Overview" }).click();
  const latest = tab.getByRole("table", { name: "Latest orders" });
  await latest.getByText(buyer.email).waitFor();
  await latest.getByRole("link", { name: "Gift Cards" }).click();
  await tab.getByRole("heading", { level: 1, name: "Order: Gift Cards" }).waitFor();
  await tab.getByRole("link", { name: "Open the license" }).click();
  await tab.getByRole("heading", { level: 1, name: "Gift Cards" }).waitFor();
  await tab.getByRole("link", { name: buyer.email }).first().waitFor();
  await tab.locator(".badge", { hasText: "Active" }).first().waitFor();
  assert.equal(await tab.getByText(key).count(), 0, "administrators never see keys");
  await settled(tab);
  await accessible(tab);
  await tab.end();
});
