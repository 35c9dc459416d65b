// The budgets of the first view: what a browser that was never here has to fetch.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, openTab, settled, signInToConsole, startStoa } from "./kit.js";

let stoa, browser;
before(async () => {
  stoa = await startStoa();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await stoa?.stop();
});

// fetched is what the page's files weigh as they were sent, in KB: pictures apart.
const fetched = (tab) => tab.evaluate(() => {
  const files = [performance.getEntriesByType("navigation")[0], ...performance.getEntriesByType("resource")];
  const counted = files.filter((f) => !["img", "image"].includes(f.initiatorType) && !f.name.includes("/api/"));
  return counted.reduce((sum, f) => sum + f.encodedBodySize, 0) / 1024;
});

test("the console's first view has 250 KB at most", async (t) => {
  const tab = await openTab(browser, stoa);
  await signInToConsole(tab, stoa);
  await settled(tab);
  const size = await fetched(tab);
  t.diagnostic(`${size.toFixed(1)} KB`);
  assert.ok(size > 50 && size <= 250, `the first view of the console has ${size} KB`);
  await tab.end();
});
