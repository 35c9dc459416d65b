// Writes a picture of every page, light and dark, at three widths, into the folder given
// (make screenshots).
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { launch, openTab, settled, signInToConsole, startStoa } from "./kit.js";
import { pages } from "./pages.js";

const [folder, only] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const stoa = await startStoa();
const browser = await launch();
try {
  for (const scheme of ["light", "dark"]) {
    for (const width of [360, 800, 1440]) {
      for (const as of ["nobody", "admin"]) {
        const tab = await openTab(browser, stoa, { width, scheme });
        if (as === "admin") await signInToConsole(tab, stoa);
        for (const page of pages.filter((p) => p.as === as && (!only || p.name.includes(only)))) {
          await tab.goto(page.path);
          await tab.locator(page.ready ?? "main h1").first().waitFor();
          await settled(tab);
          await tab.screenshot({ path: join(folder, `${page.name}-${width}-${scheme}.png`), fullPage: true });
        }
        await tab.end();
      }
    }
  }
} finally {
  await browser.close();
  await stoa.stop();
}
