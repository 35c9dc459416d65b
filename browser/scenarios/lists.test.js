// Lists of 10,000 users, orders and licenses: the server sorts, filters and pages, and the
// browser never holds more than a page.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { accessible, browser, call, openConsole, scrollsSideways, stoa, test, useStoa, visit } from "./kit.js";

useStoa({}, () => execFileSync("go", ["run", "./fill", join(stoa.folder, "stoa.db")], { cwd: import.meta.dirname }));

// Demo data add a few users of their own, so totals are at least these.
const lists = [
  { name: "orders", path: "/console/shop/orders", sort: "Amount", first: /^order1$/, last: /^order10000$/, filter: "order77", found: 111 },
  { name: "licenses", path: "/console/shop/licenses", sort: "Issued", first: /^license1$/, last: null, filter: "license77", found: 111 },
  { name: "users", path: "/console/people", sort: "Joined", first: /^user1@/, last: null, filter: "user77", found: 111 },
];

const page = 20;
const rows = (tab) => tab.locator(".table tbody tr");
const firstRow = (tab) => rows(tab).first().locator("a").first();

// shown waits until the list has been read.
const shown = (tab) => tab.waitForFunction(() =>
  document.querySelector(".table-box[aria-busy=false]") && document.querySelector(".list-foot"));

// turned waits until a column is sorted in another way than before.
const turned = (tab, name, before) => tab.waitForFunction(([name, before]) => {
  const heads = [...document.querySelectorAll("th")];
  return heads.find((th) => th.textContent.includes(name))?.getAttribute("aria-sort") !== before;
}, [name, before]);

for (const list of lists) {
  test(`${list.name}: sorted, to the last page, filtered and back`, async () => {
    const tab = await openConsole();
    let largest = 0;
    tab.on("response", async (response) => {
      if (!response.url().includes("/api/v1/admin/")) return;
      const answer = await response.json().catch(() => null);
      largest = Math.max(largest, answer?.data?.items?.length ?? 0);
    });
    await tab.goto(list.path);
    await shown(tab);
    const head = tab.getByRole("columnheader", { name: list.sort });
    const before = await head.getAttribute("aria-sort");
    await head.getByRole("button").click();
    await tab.waitForURL(/sort=/);
    await turned(tab, list.sort, before); // the address changes first
    if (await head.getAttribute("aria-sort") !== "ascending") await head.getByRole("button").click();
    await tab.locator("th[aria-sort=ascending]", { hasText: list.sort }).waitFor();
    await firstRow(tab).filter({ hasText: list.first }).waitFor();

    await tab.getByRole("button", { name: "Last page" }).click();
    await tab.waitForURL(/page=\d+/);
    await tab.getByText(/^9,981–|^10,001–/).waitFor();
    if (list.last) await rows(tab).last().locator("a").first().filter({ hasText: list.last }).waitFor();
    assert.ok(await rows(tab).count() <= page, "more than a page is in the browser");
    assert.equal(await tab.getByRole("button", { name: "Next page" }).isDisabled(), true);

    await tab.keyboard.press("/");
    await tab.keyboard.type(list.filter);
    await tab.getByText(`1–20 of ${list.found}`).waitFor();
    await tab.waitForURL((url) => !url.searchParams.has("page"));
    await tab.getByRole("button", { name: "Next page" }).click();
    await tab.getByText(`21–40 of ${list.found}`).waitFor();
    await tab.goBack();
    await tab.getByText(`1–20 of ${list.found}`).waitFor();
    assert.equal(await tab.getByRole("searchbox").inputValue(), list.filter);
    await tab.waitForURL(/sort=/);

    const [table] = await Promise.all([tab.waitForEvent("download"), tab.getByRole("button", { name: "Save as CSV" }).click()]);
    assert.match(table.suggestedFilename(), new RegExp(`^${list.name}-\\d{4}-\\d{2}-\\d{2}\\.csv$`));
    const lines = readFileSync(await table.path(), "utf8").split("\r\n");
    assert.equal(lines.length - 2, list.found, "the table has all that the filters show, and a header"); // and the last line ends
    assert.ok(lines[1].includes(list.filter), lines[1]);

    await tab.reload(); // the address says all
    await tab.getByText(`1–20 of ${list.found}`).waitFor();
    await tab.setViewportSize({ width: 360, height: 740 });
    await accessible(tab);
    assert.ok(largest > 0 && largest <= 100, `${largest} rows in one answer`);
    assert.ok(await rows(tab).count() <= page);
    await tab.end();
  });
}

// review has somebody buy a product and review it.
const review = async (name, rating, title) => {
  const who = { email: `${name}@review.example`, username: name, password: `${name}-Loves-Lists-42` };
  const token = (await call(stoa, "POST", "/auth/register", { body: who })).body.data.access_token;
  const at = "/api/marketplace/products/harbor-analytics";
  for (const [path, body] of [["/purchase", { tierId: "growth", paymentMethod: "card" }], ["/reviews", { rating, title }]]) {
    const answer = await call(stoa, "POST", at + path, { token, body });
    assert.ok(answer.status < 300, JSON.stringify(answer.body));
  }
};

test("reviews: found by their author and their words, and sorted by stars", async () => {
  await review("grace", 2, "Slow on Mondays");
  await review("linus", 5, "Fast every day");
  const tab = await openConsole("/console/shop/reviews");
  await shown(tab);
  const one = tab.getByText("1–1 of 1");
  await tab.keyboard.press("/");
  await tab.keyboard.type("GRACE@review");
  await one.waitFor();
  await tab.getByText("Slow on Mondays").waitFor();
  await tab.getByRole("searchbox").fill("every day");
  await one.waitFor();
  await tab.getByText("Fast every day").waitFor();
  await tab.getByRole("searchbox").fill("harbor");
  await tab.waitForURL(/q=harbor/);
  const head = tab.getByRole("columnheader", { name: "Review" });
  for (const [order, title] of [["ascending", "Slow on Mondays"], ["descending", "Fast every day"]]) {
    await head.getByRole("button").click();
    await tab.locator(`th[aria-sort=${order}]`, { hasText: "Review" }).waitFor();
    await rows(tab).first().getByText(title).waitFor();
  }
  await tab.end();
});

test("no list scrolls sideways on a phone", async () => {
  const tab = await openConsole("/console", { width: 360, height: 740 });
  for (const path of ["/console/events", "/console/plugins/deliveries", "/console/plugins", "/console/events/webhooks"]) {
    await visit(tab, path);
    assert.ok(await scrollsSideways(tab) <= 0, path);
    const wide = await tab.locator(".table-box").evaluateAll((boxes) => boxes.filter((b) => b.scrollWidth > b.clientWidth).length);
    assert.equal(wide, 0, `${path}: a table scrolls sideways`);
  }
  await tab.end();
});
