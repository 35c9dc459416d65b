// Products in other languages: staff write them beside the original, and buyers read them.
import assert from "node:assert/strict";
import { accessibleEverywhere, adminToken, browser, call, openConsole, openTab, scrollsSideways, stoa, test, useStoa } from "./kit.js";

let token;
useStoa(null, async () => {
  token = await adminToken(stoa);
});

const path = "/console/shop/products/mail-courier";
const german = (tab) => tab.locator("details.language").filter({ hasText: "German" });
const save = async (tab) => {
  await tab.getByRole("button", { name: "Save changes" }).click();
  await tab.getByText(/was saved/).first().waitFor();
  await tab.locator(".save-bar").waitFor({ state: "detached" });
};
const saved = async () => (await call(stoa, "GET", "/api/v1/admin/products/mail-courier", { token })).body.data;

test("an editor adds German, and the shop speaks it where there is some", async () => {
  const tab = await openConsole(path);
  const tag = tab.getByRole("combobox", { name: "Language", exact: true }).and(tab.locator("input"));
  await tag.fill("no language");
  await tab.getByRole("button", { name: "Add a language" }).click();
  await tab.getByText("This is not the tag of a language.").waitFor();
  await tag.fill("DE");
  await tab.getByRole("button", { name: "Add a language" }).click();
  const words = german(tab);
  await words.getByLabel("Name", { exact: true }).first().fill("Postbote");
  await words.getByLabel("Tagline").fill("Rundbriefe, die Ihren Katalog kennen.");
  await words.locator("fieldset").filter({ hasText: "Comparison" }).getByLabel("What is compared").first().fill("Kontakte");
  await tab.getByLabel("Language of the preview").selectOption("de");
  await tab.locator(".preview").getByRole("heading", { name: "Postbote" }).waitFor();
  await accessibleEverywhere(tab, "the editor with a language");
  await save(tab);
  const { translations, name, comparison } = await saved();
  assert.deepEqual(Object.keys(translations), ["de"]);
  assert.equal(translations.de.comparison.rows.length, comparison.rows.length);

  const shop = await openTab(browser, stoa);
  await shop.goto("/p/mail-courier?lang=de");
  await shop.getByRole("heading", { level: 1, name: "Postbote" }).waitFor();
  assert.match(await shop.title(), /^Postbote/);
  await shop.getByText("Rundbriefe, die Ihren Katalog kennen.").waitFor();
  await shop.getByRole("rowheader", { name: "Kontakte" }).waitFor();
  const original = (await call(stoa, "GET", "/api/marketplace/products/mail-courier")).body;
  await shop.getByText(original.highlights[0]).first().waitFor(); // said in the original only
  await accessibleEverywhere(shop, "a product in German");
  await shop.goto(`/checkout/mail-courier/${original.pricingTiers[0].id}?lang=de`);
  await shop.getByRole("heading", { name: "Postbote" }).waitFor();
  await shop.goto("/?lang=de");
  await shop.getByText("Postbote").first().waitFor();
  await shop.goto("/p/mail-courier?lang=fr");
  await shop.getByRole("heading", { level: 1, name }).waitFor();
  await shop.end();
  await tab.end();
});

test("translations follow what is moved and removed in the original, and faults are marked", async () => {
  const tab = await openConsole(path);
  const before = await saved();
  const comparison = tab.locator('section[aria-label="Comparison"]');
  await comparison.getByRole("button", { name: /^Move .* down/ }).first().click();
  await save(tab);
  const moved = await saved();
  assert.equal(moved.comparison.rows[1].feature, before.comparison.rows[0].feature);
  assert.equal(moved.translations.de.comparison.rows[1].feature, "Kontakte");
  await comparison.getByRole("button", { name: /^Remove/ }).nth(1).click();
  await save(tab);
  const removed = await saved();
  assert.equal(removed.translations.de.comparison, undefined);
  assert.equal(removed.translations.de.name, "Postbote");

  await tab.goto(path);
  const words = german(tab);
  await words.locator("summary").click();
  await words.getByRole("button", { name: "Remove “German”" }).click();
  await save(tab);
  assert.equal((await saved()).translations, undefined);
  await tab.end();
});

test("languages are edited on a phone", async () => {
  const tab = await openConsole("/console/shop/products/harbor-analytics", { width: 360, height: 740 });
  const words = german(tab);
  await words.locator("summary").click();
  await words.getByLabel("Tagline").fill("Kurz gesagt.");
  assert.ok(await scrollsSideways(tab) <= 0);
  await accessibleEverywhere(tab, "a language on a phone");
  await save(tab);
  const { body } = await call(stoa, "GET", "/api/marketplace/products/harbor-analytics?lang=de-AT");
  assert.equal(body.shortDescription, "Kurz gesagt.");
  await tab.end();
});
