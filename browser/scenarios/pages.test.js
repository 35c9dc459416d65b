// What must hold on every page, in both color schemes: axe-core finds nothing serious,
// nothing is wider than a phone, no script fails, nothing asks another machine.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  accessibilityFaults, browser, openTab, scrollsSideways, settled, signInToConsole, stoa, useStoa,
} from "./kit.js";
import { pages } from "./pages.js";

useStoa();

// Colors do not depend on the width, so dark is looked at once.
for (const [scheme, width, height] of [["light", 1440, 900], ["dark", 1440, 900], ["light", 360, 740]]) {
  test(`pages, ${scheme}, ${width} px`, async (t) => {
    for (const as of ["nobody", "admin"]) {
      const tab = await openTab(browser, stoa, { width, height, scheme });
      if (as === "admin") await signInToConsole(tab, stoa);
      for (const page of pages.filter((p) => p.as === as)) {
        await t.test(page.name, async () => {
          await tab.goto(page.path);
          await tab.locator(page.ready ?? "main h1").first().waitFor();
          await settled(tab);
          assert.deepEqual(await accessibilityFaults(tab), []);
          assert.ok(await scrollsSideways(tab) <= 0, `${page.path} is wider than its window`);
        });
      }
      await tab.end();
    }
  });
}
