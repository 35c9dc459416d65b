// The console's Shop and People: the jobs of support and of who sells.
import assert from "node:assert/strict";
import {
  accessibilityFaults, accessible, adminToken, call, focused, fromMenu, journey, openConsole, stoa, sweep, test, useStoa,
} from "./kit.js";

const png = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==", "base64");

let token, sold;
useStoa(null, async () => {
  token = await adminToken(stoa);
  sold = await buy("mail-courier", "pro", "grace.shop@example.com");
  for (const instanceId of ["www.example.com", "eu.example.com"]) {
    await call(stoa, "POST", "/api/marketplace/products/mail-courier/activate", { body: { licenseKey: sold.licenseKey, instanceId } });
  }
  sold.licenseId = (await call(stoa, "GET", `/api/v1/admin/orders/${sold.orderId}`, { token })).body.data.licenseId;
});

const buy = async (slug, tierId, email) =>
  (await call(stoa, "POST", `/api/marketplace/products/${slug}/purchase`, { body: { tierId, paymentMethod: "card", billingInfo: { email } } })).body;

test("half a key, an order number or an address find everything, in one search box", async (t) => {
  const tab = await openConsole();
  const half = sold.licenseKey.split("-").slice(-2).join("-");
  for (const [typed, group, to] of [
    [half, "Licenses", `/console/shop/licenses/${sold.licenseId}`],
    [sold.orderId.slice(0, 8), "Orders", `/console/shop/orders/${sold.orderId}`],
    ["grace.shop@example", "Orders", `/console/shop/orders/${sold.orderId}`],
    ["mail-cour", "Products", "/console/shop/products/mail-courier"],
  ]) {
    const way = journey(tab);
    await tab.keyboard.press("Control+k");
    const field = tab.getByRole("combobox", { name: /Go to, or find/ });
    await field.fill(typed);
    // Its group, because what was opened lately is listed until the server has answered.
    const found = tab.getByRole("group", { name: group, exact: true }).getByRole("option", { name: /Mail Courier/ }).first();
    await found.waitFor();
    for (let i = 0; (await found.getAttribute("aria-selected")) !== "true"; i++) {
      assert.ok(i < 20, "the arrow keys do not reach the result");
      await tab.keyboard.press("ArrowDown");
    }
    assert.equal(await field.getAttribute("aria-activedescendant"), await tab.getByRole("option", { selected: true }).getAttribute("id"));
    await tab.keyboard.press("Enter");
    await tab.waitForURL(stoa.url + to);
    assert.ok(way.clicks() === 0 && way.screens() <= 2, "the search box leads straight to what was found");
  }
  t.diagnostic("1 search box: 0 clicks, 1 screen after it");
  // What was opened lately is there again, and Esc gives the page back.
  await tab.keyboard.press("Control+k");
  await tab.getByRole("group", { name: "Opened lately" }).getByRole("option").first().waitFor();
  assert.deepEqual(await accessibilityFaults(tab), []);
  await tab.keyboard.press("Escape");
  await tab.getByRole("combobox", { name: /Go to, or find/ }).waitFor({ state: "detached" });
  await tab.end();
});

sweep("a whole key in the list of licenses opens the license and leaves the address", async () => {
  const tab = await openConsole("/console/shop/licenses");
  await tab.getByRole("textbox", { name: /E-mail, license key/ }).or(tab.getByRole("searchbox")).fill(sold.licenseKey);
  await tab.waitForURL(`${stoa.url}/console/shop/licenses/${sold.licenseId}`);
  await tab.goBack();
  assert.ok(!tab.url().includes("STOA-"), "the key is in the history");
  await tab.end();
});

test("freeing a seat and renewing say what they will do", async () => {
  const tab = await openConsole(`/console/shop/licenses/${sold.licenseId}`);
  const way = journey(tab);
  await way.click(tab.getByRole("button", { name: "Free seat of eu.example.com" }));
  const dialog = tab.getByRole("dialog");
  await dialog.getByText("1 of 3 seats are used then.").waitFor();
  assert.deepEqual(await accessibilityFaults(tab), []);
  await way.click(dialog.getByRole("button", { name: "Free seat" }));
  await tab.getByText("eu.example.com is no longer activated.").waitFor();
  assert.equal(way.clicks(), 2);
  await tab.getByText("A seat was freed").waitFor(); // in the timeline

  const before = (await call(stoa, "GET", `/api/v1/admin/licenses/${sold.licenseId}`, { token })).body.data.expiresAt;
  await tab.getByRole("button", { name: "Renew", exact: true }).click();
  const renew = dialog.getByRole("button", { name: /^Renew until / });
  const said = (await renew.textContent()).replace("Renew until ", "");
  await renew.click();
  await tab.getByText(`The license runs until ${said}.`).waitFor();
  const { expiresAt } = (await call(stoa, "GET", `/api/v1/admin/licenses/${sold.licenseId}`, { token })).body.data;
  assert.ok(expiresAt > before);
  // After a short month, the server's end is up to three days later than what the button said.
  const ends = new Intl.DateTimeFormat("en", { dateStyle: "medium" }).format(new Date(expiresAt));
  await tab.getByRole("definition").filter({ hasText: ends }).waitFor();
  await tab.end();
});

test("a refund names the money and the license, once", async () => {
  const order = await buy("mail-courier", "basic", "linus@example.com");
  const tab = await openConsole(`/console/shop/orders/${order.orderId}`);
  const way = journey(tab);
  await way.click(tab.getByRole("button", { name: "Refund", exact: true }));
  const dialog = tab.getByRole("dialog");
  await dialog.getByText(/no money moves, €9 are marked as refunded/).waitFor();
  await dialog.getByText(/The license is revoked for good/).waitFor();
  await way.click(dialog.getByRole("button", { name: "Refund €9" }));
  await tab.getByText("€9 were refunded and the license was revoked.").waitFor();
  await tab.locator(".badge", { hasText: "Refunded" }).first().waitFor();
  assert.equal(await tab.getByRole("button", { name: /^Refund/ }).count(), 0);
  assert.deepEqual([way.clicks(), way.screens()], [2, 1]);
  await tab.end();
});

test("a product is drafted, previewed, corrected and published", async (t) => {
  const tab = await openConsole("/console/shop/products");
  const way = journey(tab);
  await way.click(tab.getByRole("link", { name: "New product" }));
  await tab.getByRole("article", { name: "Preview" }).waitFor(); // the list has fields of its own
  await tab.getByLabel("Name").first().fill("Gift Cards");
  await tab.getByRole("article", { name: "Preview" }).getByRole("heading", { name: "Gift Cards" }).waitFor();
  await tab.getByRole("button", { name: "Save and publish" }).click();
  await tab.getByText(/fields need another look/).waitFor();
  await tab.getByText("This is required.").first().waitFor(); // at the field
  await focused(tab.locator("[aria-invalid=true]"));

  await tab.getByLabel("Tagline").fill("Sell gift cards.");
  await tab.locator("input[aria-invalid=true][value='Sell gift cards.']").waitFor({ state: "detached" }); // what is filled is no fault
  await tab.getByRole("textbox", { name: "Category" }).or(tab.getByRole("combobox", { name: "Category" })).first().fill("marketing");
  await tab.getByLabel("Description", { exact: false }).first().fill("For the shop and the till.");
  const [chooser] = await Promise.all([tab.waitForEvent("filechooser"), way.click(tab.getByRole("button", { name: "Upload an icon" }))]);
  await chooser.setFiles({ name: "icon.png", mimeType: "image/png", buffer: png });
  await tab.getByLabel("Icon").and(tab.locator("[value^='/media/']")).waitFor();
  const tier = tab.getByRole("group", { name: "Tier 1" });
  await tier.getByLabel("Name").fill("Pro");
  await tab.getByRole("group", { name: "Pro" }).getByLabel("Price").fill("9.90");
  await tab.getByRole("article", { name: "Preview" }).getByText("Buy for €9.90").waitFor();
  await way.click(tab.getByRole("button", { name: "Save draft" }));
  await tab.waitForURL(`${stoa.url}/console/shop/products/gift-cards`);
  assert.equal((await call(stoa, "GET", "/api/marketplace/products/gift-cards")).status, 404, "a draft is public");

  await way.click(tab.getByRole("button", { name: "Publish" }));
  await tab.getByRole("dialog").getByText("Everyone sees it in the shop and can buy it at once.").waitFor();
  await way.click(tab.getByRole("dialog").getByRole("button", { name: "Publish" }));
  await tab.locator(".badge", { hasText: "Published" }).waitFor();
  t.diagnostic(`${way.clicks()} clicks, ${way.screens()} screens: the list and the editor, before and after it has an address`);
  assert.deepEqual([way.clicks(), way.screens()], [5, 3]);
  const { body } = await call(stoa, "GET", "/api/marketplace/products/gift-cards");
  assert.equal(body.pricingTiers[0].price, 9.9);
  await tab.end();
});

sweep("a draft is saved with a name, and says what publishing needs", async () => {
  const tab = await openConsole("/console/shop/new-product");
  await tab.getByLabel("Name").first().fill("Half Done");
  await tab.getByRole("button", { name: "Save draft" }).click();
  await tab.waitForURL(`${stoa.url}/console/shop/products/half-done`);
  const lacks = tab.getByRole("note");
  await lacks.getByText("Before it can be published, this draft needs:").waitFor();
  assert.deepEqual(await lacks.getByRole("listitem").allTextContents(), ["category", "tagline", "description", "icon", "Tier 1: id", "Tier 1: name"]);
  assert.equal(await tab.getByRole("button", { name: "Publish", exact: true }).isDisabled(), true);
  assert.deepEqual(await accessibilityFaults(tab), []);
  await tab.getByLabel("Full description").fill("Sell *cards*.\n\n- <b>one</b>\n- [two](https://a.example)");
  const preview = tab.getByRole("article", { name: "Preview" });
  await preview.getByRole("listitem").filter({ hasText: "<b>one</b>" }).waitFor();
  assert.equal(await preview.getByRole("link", { name: "two" }).getAttribute("rel"), "nofollow noopener");
  await tab.getByLabel("Tagline").fill("Begun.");
  await tab.getByRole("button", { name: "Save draft" }).click();
  await lacks.getByText("tagline").waitFor({ state: "detached" });
  assert.equal((await call(stoa, "GET", "/api/marketplace/products/half-done")).status, 404, "a draft is public");
  await tab.end();
});

// How people in ten places write the same amounts, and what is no amount of euros.
const amounts = {
  "€1,234.56": ["1,234.56", "1.234,56", "1 234,56", "1\u202f234,56", "1\u2019234.56", "1'234,56", "1234.56", "\u0661\u066c\u0662\u0663\u0664\u066b\u0665\u0666", "\u06f1\u06f2\u06f3\u06f4\u066b\u06f5\u06f6", "\u0967,\u0968\u0969\u096a.\u096b\u096c"],
  "€1,234,567": ["12,34,567", "1.234.567", "1,234,567.00"],
  "€1,234": ["1234", "1 234", "1'234", "1,234.00"],
  "€19.90": ["19,9", "19.90"],
  Free: ["0", "0.00"],
  "–": ["-5", "+5", "5-", "1.2.3", "1,23,4", "0.123", "12.3456", "1,234.567", "1,234", "1.234", "5 €", "1e3", "five", "19."],
};

sweep("a price is read as it is written, or not at all, and the preview shows what is charged", async () => {
  const tab = await openConsole("/console/shop/new-product");
  const price = tab.getByRole("textbox", { name: "Price", exact: true });
  for (const [shown, written] of Object.entries(amounts)) {
    for (const text of written) {
      await price.fill(text);
      // The whole text: €1,234 is a part of the €1,234,567 that stood there before.
      await tab.locator(".preview-price", { hasText: new RegExp(`^\\s*${shown.replace(/[.$]/g, "\\$&")}\\s*$`) })
        .waitFor().catch(() => assert.fail(`${text} is not ${shown}`));
      assert.equal((await tab.locator(".preview-price").innerText()).trim(), shown, text);
      assert.equal(await price.getAttribute("aria-invalid"), shown === "–" ? "true" : null, text);
      await price.blur(); // the field shows what it understood, and means the same
      assert.equal((await tab.locator(".preview-price").innerText()).trim(), shown, `${text}, left`);
    }
  }
  await price.fill("1.234");
  await tab.getByText("This may mean 1234 or 1.234.").waitFor();
  assert.deepEqual(await accessibilityFaults(tab), []);
  await tab.end();
});

sweep("a name in any language makes a readable slug", async () => {
  const tab = await openConsole("/console/shop/new-product");
  for (const [name, slug] of [["Büro Größe", "buro-grosse"], ["Smørrebrød Łódź", "smorrebrod-lodz"], ["Crème brûlée", "creme-brulee"], ["İstanbul Işık", "istanbul-isik"]]) {
    await tab.getByLabel("Name").first().fill(name);
    await tab.locator(`input[value="${slug}"]`).first().waitFor();
  }
  await tab.end();
});

sweep("a page beyond the last one says so, and leads back", async () => {
  const tab = await openConsole("/console/shop/products?page=99999");
  await tab.getByText("There is no page 99,999. The last one is 1.").waitFor();
  await tab.getByRole("button", { name: "Last page" }).click();
  await tab.getByText(/^1–\d+ of \d+$/).waitFor();
  await tab.end();
});

sweep("of two who edit a product, the second sees what the first changed", async () => {
  const tab = await openConsole("/console/shop/products/ledgerline");
  await tab.getByLabel("Tagline").fill("Mine");
  await call(stoa, "PATCH", "/api/v1/admin/products/ledgerline", { token, body: { shortDescription: "Theirs", trending: true } });
  await tab.getByRole("button", { name: "Save changes" }).click();
  await tab.getByText("They changed: tagline, trending.").waitFor();
  await tab.getByText("You changed the same: tagline. Saving yours replaces theirs.").waitFor();
  await tab.getByRole("button", { name: "Save mine over theirs" }).click();
  await tab.getByText(/Ledgerline was saved/).waitFor();
  const { data } = (await call(stoa, "GET", "/api/v1/admin/products/ledgerline", { token })).body;
  assert.deepEqual([data.shortDescription, data.trending], ["Mine", true]); // theirs stays where it fits
  await tab.getByLabel("Tagline").fill("Not saved");
  await tab.getByRole("link", { name: "People" }).click();
  await tab.getByRole("dialog").getByText("Your changes to this product are lost.").waitFor();
  await tab.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  assert.equal(await tab.getByLabel("Tagline").inputValue(), "Not saved");
  await tab.end();
});

sweep("a person is blocked, and what it takes is said", async () => {
  const joined = await call(stoa, "POST", "/auth/register", { body: { email: "eve@example.com", username: "eve", password: "correct horse" } });
  const tab = await openConsole(`/console/people/${joined.body.data.user.id}`);
  await fromMenu(tab, "Block");
  await tab.getByRole("dialog").getByText(/All of their sessions end now/).waitFor();
  await tab.getByRole("dialog").getByRole("button", { name: "Block" }).click();
  await tab.getByText("eve@example.com is blocked.").waitFor();
  assert.equal((await call(stoa, "GET", "/auth/me", { token: joined.body.data.access_token })).status, 401);
  await tab.getByRole("button", { name: "More actions" }).click();
  await tab.getByRole("menuitem", { name: "Unblock" }).waitFor();
  await tab.end();
});

sweep("a picture that no product shows is deleted, after a confirmation that says what then happens", async () => {
  const tab = await openConsole("/console/shop/media");
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9v9z"/></svg>`;
  const { body } = await call(stoa, "POST", "/api/v1/admin/media", { token, body: Buffer.from(svg), type: "image/svg+xml" });
  const { path } = body.data;
  await tab.reload();
  const card = tab.locator(".pictures > li").filter({ has: tab.locator(`img[src="${path}"]`) });
  const used = tab.locator(".pictures > li").filter({ has: tab.locator('a[href*="/shop/products/"]') }).first();
  await used.waitFor();
  assert.equal(await used.getByRole("button", { name: "Delete" }).count(), 0, "a picture that is used has no button");
  await card.getByRole("button", { name: "Delete" }).click();
  await tab.getByText("To bring it back, upload the same file").waitFor();
  await accessible(tab, "the confirmation of a deletion");
  await tab.getByRole("dialog").getByRole("button", { name: "Delete picture" }).click();
  await tab.getByText("The picture was deleted.").waitFor();
  await card.waitFor({ state: "detached" });
  assert.equal((await fetch(stoa.url + path)).status, 404);
  await tab.end();
});
