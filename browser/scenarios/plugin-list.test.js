// The list of installed plugins: the server searches, filters, sorts and pages it, and the
// address says what is shown. And the sizes of files, in the unit that fits.
import assert from "node:assert/strict";
import { archive } from "./archive.js";
import { accessible, adminToken, install, openConsole, stoa, test, useStoa } from "./kit.js";

// 21 beside the demo's make a second page. No process runs for them.
const services = Array.from({ length: 21 }, (_, i) => ({
  schemaVersion: 1, slug: `station-${String(i).padStart(2, "0")}`, name: i === 0 ? "Überland 100%" : `Outpost ${100 - i}`,
  version: "1.0.0", runtimeType: "external-http", externalBaseUrl: "https://station.example",
}));

useStoa(null, async () => {
  const token = await adminToken(stoa);
  for (const manifest of services) await install(token, archive({ "manifest.json": manifest }));
});

const first = (tab, name) => tab.locator(".table tbody tr").first().getByRole("link", { name, exact: true }).waitFor();

test("plugins are found by name and slug, filtered and sorted, and the address says it", async () => {
  const tab = await openConsole("/console/plugins");
  const search = tab.getByRole("searchbox", { name: "Name or slug" });
  await tab.getByText(/^1–20 of \d\d$/).waitFor();
  await tab.getByRole("button", { name: "Next page" }).click();
  await tab.waitForURL(/page=2/);

  await tab.keyboard.press("/");
  await tab.keyboard.type("übER");
  await tab.getByText("1–1 of 1").waitFor();
  await tab.waitForURL((url) => !url.searchParams.has("page")); // a search begins at its first page
  await first(tab, "Überland 100%");
  for (const [text, count] of [["%", "1–1 of 1"], ["TION-1", "1–10 of 10"]]) {
    await search.fill(text);
    await tab.getByText(count).waitFor();
  }
  await search.fill("outpost");
  await tab.getByText("1–20 of 20").waitFor();
  await tab.getByRole("columnheader", { name: "Plugin" }).getByRole("button").click();
  await tab.waitForURL(/sort=name/);
  await first(tab, "Outpost 80");
  await tab.getByRole("columnheader", { name: "Plugin" }).getByRole("button").click();
  await tab.waitForURL(/sort=-name/);
  await first(tab, "Outpost 99");

  await tab.reload(); // the address says all
  await first(tab, "Outpost 99");
  assert.equal(await search.inputValue(), "outpost");
  await tab.getByRole("combobox", { name: "Runs" }).click();
  await tab.getByRole("option", { name: "Inside stoa" }).click();
  await tab.waitForURL(/runtimeType=internal-fastify/);
  await tab.getByText("Nothing matches").waitFor();
  await tab.setViewportSize({ width: 360, height: 740 });
  await accessible(tab, "a list of plugins in which nothing matches");
  await tab.getByRole("button", { name: "Clear", exact: false }).last().click();
  await tab.getByText(/^1–20 of \d\d$/).waitFor();
  await tab.waitForURL((url) => !/[?&](q|sort|runtimeType)=/.test(url.search));
  await tab.end();
});

// The demo's loyalty points have deliveries, the services here have none.
test("the deliveries of one plugin are found among all, and the address says it", async () => {
  const tab = await openConsole("/console/plugins/deliveries");
  const link = tab.locator(".table tbody tr").first().getByRole("link", { name: "loyalty-points" });
  await link.waitFor();
  const choose = async (typed, slug) => {
    await tab.getByRole("combobox", { name: "Plugin" }).fill(typed);
    await tab.getByRole("option", { name: typed }).click();
    await tab.waitForURL(new RegExp(`plugin=${slug}`));
  };
  await choose("Outpost 85", "station-15");
  await tab.getByText("Nothing matches").waitFor();
  await tab.reload(); // the address says it
  await tab.getByText("Nothing matches").waitFor();
  await accessible(tab, "the deliveries of one plugin");
  await choose("Loyalty", "loyalty-points");
  await link.waitFor();
  await tab.end();
});

test("the size of a file is in the unit that fits", async () => {
  const sizes = {
    0: "0 bytes", 1: "1 byte", 2: "2 bytes", 1023: "1,023 bytes", 1024: "1 kB", 1536: "1.5 kB", 1048524: "1,023.9 kB",
    1048525: "1 MB", 1048576: "1 MB", 1073741823: "1 GB", 1073741824: "1 GB", 2684354560: "2.5 GB",
  };
  const tab = await openConsole("/console/plugins");
  await tab.route("**/api/v1/admin/extensions/plugin/station-00/files**", async (route) => {
    const response = await route.fetch();
    const body = await response.json();
    const [file] = body.data.items;
    body.data.items = Object.keys(sizes).map((size) => ({ ...file, path: `${size}.js`, size: Number(size) }));
    await route.fulfill({ response, json: body });
  });
  await tab.goto("/console/plugins/station-00?view=files");
  for (const [size, text] of Object.entries(sizes)) {
    await tab.getByRole("row").filter({ hasText: `${size}.js` }).first().waitFor();
    await tab.getByRole("row").filter({ has: tab.getByText(`${size}.js`, { exact: true }) }).getByText(text, { exact: true }).waitFor();
  }
  await tab.end();
});
