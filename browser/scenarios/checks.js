// What must hold on every page, in whatever state it is: axe-core finds nothing serious,
// and nothing is wider than its window.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { drawn, settled } from "./tab.js";

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const colors = ["color-contrast", "color-contrast-enhanced", "link-in-text-block"];

// accessibilityFaults runs axe-core, and returns what is serious, a line each. In the
// console, text must have the contrast of AAA, which has that of AA. only names the rules, if
// not all are wanted. Left out are style sheets, which only rules read that are off or not
// serious, and the rule "region", which is not serious and takes a tenth of the time.
export const accessibilityFaults = async (tab, only = null) => {
  if (!await tab.evaluate(() => "axe" in window)) await tab.evaluate(axeSource);
  const violations = await tab.evaluate(async (only) => {
    const strict = document.querySelector(".shell") !== null;
    const unwanted = strict ? "color-contrast" : "color-contrast-enhanced";
    const found = await axe.run(document, {
      preload: false,
      resultTypes: ["violations"],
      ...(only
        ? { runOnly: only.filter((rule) => rule !== unwanted) }
        : {
            rules: {
              "color-contrast-enhanced": { enabled: true }, [unwanted]: { enabled: false }, region: { enabled: false },
            },
          }),
    });
    return found.violations.filter((v) => ["serious", "critical"].includes(v.impact));
  }, only);
  return violations.flatMap((v) => v.nodes.map((node) => `${v.id}: ${node.target.join(" ")}: ${node.any[0]?.message ?? v.help}`));
};

// scrollsSideways tells by how many pixels a page is wider than its window.
export const scrollsSideways = (tab) => tab.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

// accessible checks a page as it is.
export const accessible = async (tab, what = tab.url()) => {
  assert.deepEqual(await accessibilityFaults(tab), [], what);
  assert.ok(await scrollsSideways(tab) <= 0, `${what} is wider than its window`);
};

// accessibleEverywhere checks a page as it is, then its colors in the other scheme, then all
// of it on a phone. Colors do not depend on the width. Afterwards the tab is as it was.
export const accessibleEverywhere = async (tab, what = tab.url()) => {
  const size = tab.viewportSize();
  const other = tab.scheme === "light" ? "dark" : "light";
  await accessible(tab, what);
  await tab.emulateMedia({ colorScheme: other });
  await drawn(tab);
  assert.deepEqual(await accessibilityFaults(tab, colors), [], `${what}, ${other}`);
  await tab.emulateMedia({ colorScheme: tab.scheme });
  await tab.setViewportSize({ width: 360, height: 740 });
  await drawn(tab);
  await accessible(tab, `${what}, on a phone`);
  await tab.setViewportSize(size);
  await drawn(tab);
};

// fine checks what must hold on every page.
export const fine = async (tab) => {
  await settled(tab);
  assert.deepEqual(await accessibilityFaults(tab), [], tab.url());
  assert.ok(await scrollsSideways(tab) <= 0, `${tab.url()} is wider than its window`);
};
