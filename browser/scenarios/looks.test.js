// What was ugly or wrong on the pictures (make screenshots) stays mended: long texts, what
// is said of a license that no longer works, open menus, pages of what is not there.
import assert from "node:assert/strict";
import { test } from "node:test";
import { accessibilityFaults, browser, openTab, scrollsSideways, settled, signInToConsole, stoa, useStoa } from "./kit.js";
import { moments } from "./moments.js";
import { furnish, signInToShop } from "./sample.js";

let at;
useStoa({}, async () => { at = await furnish(stoa); });

const signIn = { nobody: () => {}, buyer: signInToShop, admin: signInToConsole };

for (const as of Object.keys(signIn)) {
  test(`long texts make no page wider than a phone, seen by ${as}`, async () => {
    const tab = await openTab(browser, stoa, { width: 360, height: 740 });
    await signIn[as](tab, stoa);
    for (const page of moments(at).filter((p) => p.as === as && !p.open && !p.paper)) {
      await tab.goto(page.path);
      await settled(tab);
      assert.ok(await scrollsSideways(tab) <= 0, `${page.name} is wider than its window`);
      const cut = await tab.locator(".table-box").evaluateAll((boxes) => boxes.filter((b) => b.scrollWidth > b.clientWidth).length);
      assert.equal(cut, 0, `${page.name}: a table scrolls sideways`);
    }
    await tab.end();
  });
}

test("a buyer is not sent to activate a license that was refunded", async () => {
  const tab = await openTab(browser, stoa);
  await signInToShop(tab);
  await tab.goto(at.boughtRefunded);
  await tab.getByText("its license no longer works").waitFor();
  assert.equal(await tab.getByText("What to do next").count(), 0);
  assert.equal(await tab.getByRole("button", { name: /^Copy/ }).count(), 0);
  await tab.goto(at.mineRevoked);
  await tab.getByText("This license was revoked").waitFor();
  assert.equal(await tab.getByRole("button", { name: "Publish review" }).count(), 0);
  assert.equal(await tab.getByText("Paste the key").count(), 0);
  await tab.end();
});

for (const scheme of ["light", "dark"]) {
  test(`an open menu is readable, ${scheme}`, async () => {
    const tab = await openTab(browser, stoa, { scheme });
    await signInToConsole(tab, stoa, "/console/plugins/greeter");
    await settled(tab);
    await tab.getByRole("button", { name: "More actions" }).click();
    await tab.getByRole("menuitem", { name: "Uninstall…" }).waitFor();
    assert.deepEqual((await accessibilityFaults(tab)).filter((fault) => fault.startsWith("color-contrast")), []);
    await tab.end();
  });
}

test("what is not there has a heading and a way on", async () => {
  const tab = await openTab(browser, stoa);
  await signInToConsole(tab, stoa);
  for (const path of ["/console/shop/orders/nothing", "/console/shop/licenses/nothing", "/console/nowhere"]) {
    await tab.goto(path);
    await tab.getByRole("heading", { level: 1, name: "There is no page here" }).waitFor();
    await tab.getByRole("link", { name: "Open the overview" }).waitFor();
  }
  await tab.goto(`${at.idle}/admin`);
  await tab.getByText("The instance is disabled").waitFor();
  assert.equal(await tab.locator("iframe").count(), 0, "an empty frame is shown");
  await tab.end();
});

test("the field of the search box stands at its top", async () => {
  const tab = await openTab(browser, stoa);
  await signInToConsole(tab, stoa);
  await tab.keyboard.press("Control+k");
  const dialog = await tab.getByRole("dialog").boundingBox();
  const field = await tab.locator(".palette-field").boundingBox();
  assert.ok(field.y - dialog.y < 4, `${field.y - dialog.y} px are empty above it`);
  await tab.end();
});
