// When the API is slow, fails or is away: pages say what happened and what to do with the
// request id, nothing typed is lost, and nothing is bought or done twice.
import assert from "node:assert/strict";
import {
  accessible, adminToken, browser, call, openConsole, openTab, settled, signInToConsole, stoa, test, useStoa,
} from "./kit.js";

useStoa();

const id = "4f1c0a7e-trouble";
const failure = {
  status: 500,
  headers: { "X-Request-Id": id },
  contentType: "application/json",
  body: JSON.stringify({
    success: false,
    error: { code: "INTERNAL_ERROR", message: "Something failed.", requestId: id },
  }),
};

const pages = [
  "/console/shop", "/console/shop/orders", "/console/shop/licenses", "/console/shop/reviews", "/console/people",
  "/console/plugins", "/console/themes", "/console/events", "/console/events/webhooks", "/console/settings",
  "/console/settings/health", "/console/plugins/deliveries", "/console/shop/products/mail-courier",
];

test("every page of the console says that the API failed, with the request id, and tries again", async (t) => {
  const tab = await openConsole();
  for (const path of pages) {
    await t.test(path, async () => {
      await tab.route("**/api/v1/**", (route) => route.fulfill(failure));
      await tab.goto(path);
      const alert = tab.getByRole("alert").first();
      await alert.waitFor();
      assert.ok((await alert.innerText()).includes(id), "the request id is missing");
      await accessible(tab, `${path} that failed`);
      await settled(tab);
      await tab.unroute("**/api/v1/**");
      const again = tab.getByRole("button", { name: "Try again" });
      for (let left = await again.count(); left > 0; left = await again.count()) {
        // A page that asks again by itself takes its button away.
        await again.first().click().catch(async (err) => { if (await again.count() === left) throw err; });
        await tab.waitForFunction((before) => document.querySelectorAll("main [role=alert]").length < before, left);
      }
    });
  }
  await tab.end();
});

test("a list that is slow shows its outline first, then its rows", async () => {
  const tab = await openConsole();
  let release;
  const held = new Promise((resolve) => { release = resolve; });
  await tab.route("**/api/v1/admin/users?**", async (route) => { await held; await route.continue(); });
  await tab.getByRole("link", { name: "People" }).click();
  await tab.getByRole("heading", { level: 1, name: "People" }).waitFor();
  await tab.locator(".table .skeleton").first().waitFor();
  await accessible(tab, "a slow list");
  release();
  await tab.getByRole("link", { name: stoa.admin.email }).waitFor();
  await tab.end();
});

test("a buyer whose request is slow, fails and is cut keeps what was typed and buys once", async () => {
  const tab = await openTab(browser, stoa);
  await tab.goto("/checkout/mail-courier/pro");
  await tab.getByLabel("E-mail").fill("once@example.com");
  const buy = tab.getByRole("button", { name: /^Buy for/ });

  await tab.route("**/purchase", (route) => route.fulfill(failure));
  await buy.click();
  const alert = tab.getByRole("alert").filter({ hasText: id });
  await alert.getByRole("button", { name: "Copy ID" }).waitFor();
  assert.equal(await tab.getByLabel("E-mail").inputValue(), "once@example.com");
  await accessible(tab, "a purchase that failed");
  await tab.unroute("**/purchase");

  // The order is placed, but its answer never comes: the same purchase again is not a second one.
  const keys = [];
  let lost = true;
  await tab.route("**/purchase", async (route) => {
    keys.push(route.request().headers()["idempotency-key"]);
    const answer = await route.fetch();
    if (!lost) return route.fulfill({ response: answer });
    lost = false;
    return route.abort("connectionreset");
  });
  await buy.click();
  await tab.getByRole("alert").filter({ hasNotText: id }).first().waitFor();
  assert.equal(await tab.getByLabel("E-mail").inputValue(), "once@example.com");
  await buy.dblclick();
  await tab.getByRole("heading", { name: "Thank you" }).waitFor();
  assert.equal(new Set(keys).size, 1, `each try has its own idempotency key: ${keys}`);
  assert.ok(keys[0], "a purchase has no idempotency key");
  const token = await adminToken(stoa);
  const { body } = await call(stoa, "GET", "/api/v1/admin/orders?q=once@example.com", { token });
  assert.equal(body.data.pagination.total, 1, "the order was placed twice");
  await tab.end();
});

test("a page of a buyer that is slow shows its outline first", async () => {
  const tab = await openTab(browser, stoa);
  let release;
  let held = new Promise((resolve) => { release = resolve; });
  await tab.route("**/api/marketplace/products/mail-courier?**", async (route) => { await held; await route.continue(); });
  const buy = tab.getByRole("button", { name: /^Buy for/ });
  // The server wrote what is bought; the form has an outline.
  const opened = tab.goto("/checkout/mail-courier/pro"); // it waits until the page is there
  await tab.getByRole("complementary").getByText("Mail Courier").waitFor();
  await tab.locator(".checkout .form .waiting .bar").first().waitFor();
  await accessible(tab, "a slow checkout");
  release();
  await opened;
  await buy.waitFor();
  assert.equal(await tab.locator(".waiting").count(), 0);

  // Back from another page, the script has nothing of the server's to show.
  await tab.getByRole("main").getByRole("link", { name: "Sign in", exact: true }).click();
  await tab.getByRole("heading", { name: "Sign in" }).waitFor();
  await tab.reload();
  held = new Promise((resolve) => { release = resolve; });
  await tab.goBack();
  await tab.locator(".waiting .checkout aside .bar").first().waitFor();
  await accessible(tab, "a slow checkout, by the way back");
  release();
  await buy.waitFor();
  assert.equal(await tab.locator(".waiting").count(), 0);
  await tab.end();
});

test("without a network pages say so, and what was asked for is not done later", async () => {
  const tab = await openTab(browser, stoa);
  tab.expect("Couldn't load preload assets"); // axe-core may ask for style sheets again
  let sent = 0;
  tab.on("request", (request) => { if (request.method() !== "GET") sent++; });
  await tab.goto("/checkout/mail-courier/pro");
  await tab.getByLabel("E-mail").fill("away@example.com");
  await tab.context().setOffline(true);
  await tab.getByText("You are offline.").waitFor();
  await tab.getByRole("button", { name: /^Buy for/ }).click();
  await tab.getByRole("alert").filter({ hasText: "The server cannot be reached." }).waitFor();
  assert.equal(await tab.getByLabel("E-mail").inputValue(), "away@example.com");
  await accessible(tab, "a checkout without a network");
  const before = sent;
  await tab.context().setOffline(false);
  await tab.getByText("You are offline.").waitFor({ state: "detached" });
  await signInToConsole(tab, stoa, "/console/settings");
  const { body } = await call(stoa, "GET", "/api/v1/admin/orders?q=away@example.com", { token: await adminToken(stoa) });
  assert.equal(body.data.pagination.total, 0, `the order was placed by itself, ${sent - before} requests later`);

  await tab.getByLabel("Name of the shop").fill("Not sent");
  await tab.context().setOffline(true);
  await tab.getByText("You are offline.").waitFor();
  await tab.getByRole("button", { name: "Save settings" }).click();
  await tab.getByRole("alert").filter({ hasText: "The server cannot be reached." }).waitFor();
  await accessible(tab, "the console without a network");
  await tab.context().setOffline(false);
  await tab.getByText("You are offline.").waitFor({ state: "detached" });
  assert.equal(await tab.getByLabel("Name of the shop").inputValue(), "Not sent");
  await tab.end();
});

// The storefront's script comes in parts. Each of them may be lost on the way.
test("a part of the storefront that cannot be loaded is said so, and one click loads it", async (t) => {
  const tab = await openTab(browser, stoa);
  const lost = async (part, open) => {
    const files = `**/assets/*/${part}-*.js`;
    await tab.route(files, (route) => route.abort("connectionreset"));
    await open();
    await tab.getByRole("alert").filter({ hasText: "The server cannot be reached" }).waitFor();
    assert.equal(await tab.locator("[aria-busy=true]:visible, .waiting:visible").count(), 0, `without ${part}, the page seems to load`);
    await accessible(tab, `without ${part}`);
    await tab.unroute(files);
  };
  const again = (role) => tab.getByRole("alert").getByRole(role, { name: "Try again" }).click();

  await t.test("what runs every page", async () => {
    await lost("run", () => tab.goto("/checkout/mail-courier/pro"));
    await tab.getByRole("complementary").getByText("Mail Courier").waitFor(); // the server wrote it
    await again("link");
    await tab.getByRole("button", { name: /^Buy for/ }).waitFor();
  });
  await t.test("the page of an order that was just placed", async () => {
    await tab.getByLabel("E-mail").fill("parts@example.com");
    await lost("OrderPage", () => tab.getByRole("button", { name: /^Buy for/ }).click());
    await again("button");
    await tab.getByRole("heading", { name: "Thank you" }).waitFor();
    await tab.locator(".key code").waitFor();
    const { body } = await call(stoa, "GET", "/api/v1/admin/orders?q=parts@example.com", { token: await adminToken(stoa) });
    assert.equal(body.data.pagination.total, 1);
  });
  await t.test("the pages of an account", async () => {
    await lost("own", () => tab.goto("/orders"));
    await again("button");
    await tab.getByRole("main").getByRole("link", { name: "Mail Courier" }).waitFor(); // a guest's, in this tab
  });
  await tab.end();
});

test("stoa is killed while a form is filled: what was typed stays, and is saved once it is back", async () => {
  const tab = await openConsole("/console/settings");
  await tab.getByLabel("Name of the shop").fill("Typed before the power cut");
  await stoa.kill();
  await tab.getByRole("button", { name: "Save settings" }).click();
  await tab.getByRole("alert").first().waitFor();
  assert.equal(await tab.getByLabel("Name of the shop").inputValue(), "Typed before the power cut");
  await accessible(tab, "settings while stoa is away");
  await stoa.run();
  await tab.getByRole("button", { name: "Save settings" }).click();
  await tab.getByText("The settings are saved.").waitFor();
  assert.equal(await tab.getByLabel("Name of the shop").inputValue(), "Typed before the power cut");
  const { body } = await call(stoa, "GET", "/api/v1/shop/settings");
  assert.equal(body.data?.shopName ?? body.shopName, "Typed before the power cut");
  await tab.end();
});

test("a page of the console that cannot be loaded says so and tries again, and the console stays", async () => {
  const tab = await openConsole();
  tab.expect("Couldn't load preload assets"); // axe-core may ask for style sheets again
  await tab.getByRole("heading", { level: 1 }).waitFor();
  const part = "**/assets/*/AuditPage-*.js"; // the browser may have it, in its cache or because it guessed
  await tab.route(part, (route) => route.abort("connectionreset"));
  await tab.context().setOffline(true);
  await tab.getByText("You are offline.").waitFor();
  await tab.getByRole("link", { name: "Events", exact: true }).click();
  const alert = tab.getByRole("main").getByRole("alert");
  await alert.getByText("The server cannot be reached.").waitFor();
  await accessible(tab, "a page that could not be loaded");
  assert.equal(await tab.getByRole("heading", { level: 1, name: "Events" }).count(), 0, "the page was there");
  await tab.context().setOffline(false);
  await tab.unroute(part);
  await tab.getByRole("button", { name: "Try again" }).click();
  await tab.getByRole("heading", { level: 1, name: "Events" }).waitFor();
  await tab.end();
});
