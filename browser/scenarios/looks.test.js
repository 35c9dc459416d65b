// What was ugly or wrong on the pictures (make screenshots) stays mended: long texts, what
// is said of a license that no longer works, open menus, pages of what is not there, the
// buttons of dialogs, the height of rows.
import assert from "node:assert/strict";
import {
  accessibilityFaults, browser, openConsole, openTab, scrollsSideways, settled, signInToConsole, signInToShop, stoa,
  test, useStoa, visit,
} from "./kit.js";
import { moments } from "./moments.js";
import { buyer, furnish } from "./sample.js";

let at;
useStoa(null, async () => { at = await furnish(stoa); });

const opened = {
  nobody: (options) => openTab(browser, stoa, options),
  buyer: async (options) => {
    const tab = await openTab(browser, stoa, options);
    await signInToShop(tab, buyer);
    return tab;
  },
  admin: (options) => openConsole("/console", options),
};

for (const as of Object.keys(opened)) {
  test(`long texts make no page wider than a phone, seen by ${as}`, async () => {
    const tab = await opened[as]({ width: 360, height: 740 });
    for (const page of moments(at).filter((p) => p.as === as && !p.open && !p.paper)) {
      await visit(tab, page.path);
      assert.ok(await scrollsSideways(tab) <= 0, `${page.name} is wider than its window`);
      const cut = await tab.locator(".table-box").evaluateAll((boxes) => boxes.filter((b) => b.scrollWidth > b.clientWidth).length);
      assert.equal(cut, 0, `${page.name}: a table scrolls sideways`);
    }
    await tab.end();
  });
}

test("a buyer is not sent to activate a license that was refunded", async () => {
  const tab = await opened.buyer();
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
    const tab = await openConsole("/console/plugins/greeter", { scheme });
    await settled(tab);
    await tab.getByRole("button", { name: "More actions" }).click();
    await tab.getByRole("menuitem", { name: "Uninstall…" }).waitFor();
    assert.deepEqual((await accessibilityFaults(tab)).filter((fault) => fault.startsWith("color-contrast")), []);
    await tab.end();
  });
}

test("what is not there has a heading and a way on", async () => {
  const tab = await openConsole();
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
  const tab = await openConsole();
  await tab.keyboard.press("Control+k");
  const dialog = await tab.getByRole("dialog").boundingBox();
  const field = await tab.locator(".palette-field").boundingBox();
  assert.ok(field.y - dialog.y < 4, `${field.y - dialog.y} px are empty above it`);
  await tab.end();
});

test("no list is cut on a tablet", async () => {
  const tab = await openConsole("/console", { width: 800, height: 900 });
  const lists = ["shop", "shop/orders", "shop/licenses", "shop/reviews", "people", "plugins", "plugins/deliveries", "themes", "events", "events/webhooks", "settings/keys"];
  for (const path of [...lists.map((list) => `/console/${list}`), at.webhook, at.license, at.person]) {
    await visit(tab, path);
    await tab.locator(".table time").evaluateAll((all) => all.forEach((time) => { time.textContent = "59 minutes ago"; })); // as long as they get
    const cut = await tab.locator(".table-box").evaluateAll((boxes) => boxes.map((b) => b.scrollWidth - b.clientWidth).filter((by) => by > 1));
    assert.deepEqual(cut, [], `${path}: a table is wider than its place`);
  }
  await tab.end();
});

test("the buttons of a dialog stand in line on a phone", async () => {
  const tab = await openConsole("/console", { width: 360, height: 740 });
  for (const page of moments(at).filter((p) => ["license-renew", "person-promote", "product-leave", "order-refund"].includes(p.name))) {
    await visit(tab, page.path);
    await page.open(tab);
    const boxes = await tab.getByRole("dialog").locator(".dialog-actions button").evaluateAll((all) => all.map((b) => b.getBoundingClientRect().toJSON()));
    const [cancel, act] = boxes;
    const side = Math.abs(cancel.y - act.y) < 1 && cancel.right <= act.x;
    const stacked = Math.abs(cancel.x - act.x) < 1 && Math.abs(cancel.right - act.right) < 1 && act.bottom <= cancel.y;
    assert.ok(side || stacked, `${page.name}: ${JSON.stringify(boxes)}`);
    await tab.keyboard.press("Escape");
    await tab.getByRole("dialog").filter({ has: tab.locator(".dialog-actions") }).waitFor({ state: "detached" });
  }
  await tab.end();
});

test("rows are 40 px high, or 32 by choice, which is kept", async () => {
  const tab = await openTab(browser, stoa); // the choice is kept
  await signInToConsole(tab, stoa, "/console/shop/orders");
  const height = () => tab.locator(".table tbody tr").first().evaluate((row) => Math.round(row.getBoundingClientRect().height));
  await tab.locator(".table tbody tr[data-link]").first().waitFor();
  assert.ok(Math.abs(await height() - 40) <= 1, `a row is ${await height()} px high`);
  await tab.getByRole("button", { name: "Account", exact: true }).click();
  await tab.getByRole("menuitemradio", { name: "Roomy", checked: true }).waitFor();
  await tab.getByRole("menuitemradio", { name: "Compact" }).click();
  assert.ok(Math.abs(await height() - 32) <= 1, `a compact row is ${await height()} px high`);
  await tab.reload();
  await tab.locator(".table tbody tr[data-link]").first().waitFor();
  assert.ok(Math.abs(await height() - 32) <= 1, "the choice is forgotten");
  await tab.getByRole("button", { name: "Account", exact: true }).click();
  await tab.getByRole("menuitemradio", { name: "Compact", checked: true }).waitFor();
  await tab.end();
});
