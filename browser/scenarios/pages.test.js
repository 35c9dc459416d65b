// What must hold on every page, in both color schemes, wide and on a phone: axe-core finds
// nothing serious, nothing is wider than the window, no script fails, nothing asks another
// machine. With STOA_PROOF_PAGES=1 (make proof), each page is loaded by itself for each
// scheme and each of three widths.
import {
  accessible, accessibleEverywhere, browser, openConsole, openTab, settled, stoa, test, useStoa, visit,
} from "./kit.js";
import { pages } from "./pages.js";

useStoa();

const opened = {
  nobody: (options) => openTab(browser, stoa, options),
  admin: (options) => openConsole("/console", options),
};

// look goes to every page, and checks it.
const look = async (t, go, check, options = {}) => {
  for (const as of Object.keys(opened)) {
    const tab = await opened[as](options);
    for (const page of pages.filter((p) => p.as === as)) {
      await t.test(page.name, async () => {
        await go(tab, page.path);
        await tab.locator(page.ready ?? "main h1").first().waitFor();
        await settled(tab);
        await check(tab, page.path);
      });
    }
    await tab.end();
  }
};

if (!process.env.STOA_PROOF_PAGES) {
  test("pages", (t) => look(t, visit, accessibleEverywhere));
} else {
  for (const scheme of ["light", "dark"]) {
    for (const width of [360, 800, 1440]) {
      test(`pages, ${scheme}, ${width} px`, (t) => look(t, (tab, path) => tab.goto(path), accessible, { width, scheme }));
    }
  }
}
