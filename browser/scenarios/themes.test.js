// Themes: previewed, activated with their config, rolled back, refused.
import assert from "node:assert/strict";
import { archive } from "./archive.js";
import { accessible, adminToken, call, install, openConsole, settled, stoa, sweep, test, useStoa } from "./kit.js";

let token;
useStoa(null, async () => { token = await adminToken(stoa); });

test("a theme is previewed, activated with its config and rolled back", async () => {
  const manifest = { schemaVersion: 1, slug: "dusk", name: "Dusk", target: "shop", entry: "dusk.css", defaultConfig: { tint: "#336699" }, configSchema: { tint: { type: "color", label: "Tint", required: true } } };
  for (const version of ["1.0.0", "1.1.0"]) await install(token, archive({ "theme.json": { ...manifest, version }, "dusk.css": "body { outline: 1px solid rgb(1, 2, 3) }" }), "theme-shop");
  const active = async () => (await call(stoa, "GET", "/api/v1/admin/themes/shop", { token })).body.data.active;
  const tab = await openConsole("/console/themes");
  await tab.getByRole("link", { name: "Dusk" }).click();
  const looks = tab.frameLocator("iframe").locator("body");
  await looks.waitFor();
  await tab.waitForFunction(() => {
    const page = document.querySelector("iframe")?.contentDocument;
    return page?.body && getComputedStyle(page.body).outlineColor === "rgb(1, 2, 3)" && page.documentElement.style.getPropertyValue("--theme-tint") === "#336699";
  });
  assert.equal(await active(), null, "a preview activates nothing");
  await settled(tab);
  await accessible(tab, "the page of a theme");
  await tab.locator('input[data-path="tint"]').fill("#112233");
  await tab.waitForFunction(() => document.querySelector("iframe").contentDocument.documentElement.style.getPropertyValue("--theme-tint") === "#112233");
  assert.equal(await active(), null, "an edit activates nothing");
  await tab.getByRole("button", { name: "Activate Dusk 1.1.0" }).click();
  await tab.getByText("The shop: Dusk 1.1.0 is shown now.").waitFor();
  assert.deepEqual((await active()).config, { tint: "#112233" });
  await tab.goto("/console/themes");
  await tab.getByRole("button", { name: "Return to the built-in look" }).click();
  await tab.getByRole("dialog").getByRole("button", { name: "Return to the built-in look" }).click();
  await tab.getByText("The shop: the built-in look is back.").waitFor();
  await tab.getByRole("button", { name: "Roll back" }).click();
  await tab.getByRole("button", { name: "Return to Dusk 1.1.0" }).click();
  await tab.getByText("The shop: Dusk 1.1.0 is shown now.").waitFor();
  assert.equal((await active()).version, "1.1.0");
  await tab.end();
});

sweep("a theme app that is not well is not activated, and says why", async () => {
  const app = { schemaVersion: 1, slug: "sick", name: "Sick", version: "1.0.0", target: "shop", runtime: { entry: "server.js" }, healthCheck: { path: "/health" } };
  await install(token, archive({
    "theme-app.json": app, "package.json": { type: "module" },
    "server.js": 'import http from "node:http"\nhttp.createServer((q, r) => { r.statusCode = 500; r.end() }).listen(process.env.PORT, process.env.HOST)\n',
  }), "theme-app-shop");
  const tab = await openConsole("/console/themes/theme-app-shop/sick");
  tab.setDefaultTimeout(120_000);
  await tab.getByRole("button", { name: "Activate Sick 1.0.0" }).click();
  const asked = tab.getByRole("dialog");
  await asked.getByText("takes over the whole shop").waitFor();
  assert.equal(await asked.getByRole("link", { name: "Look at Sick 1.0.0 first" }).getAttribute("href"), "/theme-app/shop/sick/");
  await asked.getByRole("button", { name: "Activate Sick 1.0.0" }).click();
  await tab.getByRole("alert").getByText("GET /health").waitFor();
  await tab.end();
});

sweep("more themes than fit on a page are paged, searched and filtered", async () => {
  const tint = { "tint.css": "body { color: black }" };
  const manifest = { schemaVersion: 1, version: "1.0.0", target: "shop", entry: "tint.css" };
  for (let n = 10; n < 35; n++) {
    await install(token, archive({ "theme.json": { ...manifest, slug: `tint-${n}`, name: `Tint ${n}` }, ...tint }), "theme-shop");
  }
  await install(token, archive({ "theme.json": { ...manifest, target: "admin", slug: "tint-10", name: "Tint of the console" }, ...tint }), "theme-admin");
  const tab = await openConsole("/console/themes");
  const rows = tab.getByRole("table", { name: "Installed themes" }).locator("tbody tr");
  await tab.getByText(/^1–20 of \d\d$/).waitFor();
  assert.equal(await rows.count(), 20);
  await tab.getByRole("button", { name: "Next page" }).click();
  await tab.getByText(/^21–\d\d of \d\d$/).waitFor();
  await tab.waitForURL(/page=2/);
  await tab.getByRole("searchbox").fill("Tint 1");
  await tab.getByText("1–11 of 11").waitFor(); // ten of the shop, one of the console
  await settled(tab);
  await accessible(tab, "the list of themes");
  await tab.getByRole("combobox", { name: "For" }).click();
  await tab.getByRole("option", { name: "The console" }).click();
  await tab.getByText("1–1 of 1").waitFor();
  await tab.reload(); // the address says all
  await tab.getByText("1–1 of 1").waitFor();
  await tab.getByRole("link", { name: "Tint of the console" }).click();
  await tab.getByRole("heading", { name: "Tint of the console" }).waitFor();
  await tab.goBack();
  await tab.getByRole("combobox", { name: "Kind" }).click();
  await tab.getByRole("option", { name: "App" }).click();
  await tab.getByText("Nothing matches these filters.").waitFor();
  await tab.end();
});
