// When the API is slow, fails or is away: pages say what happened and what to do with the
// request id, nothing typed is lost, and nothing is bought or done twice.
import assert from "node:assert/strict";
import { test } from "node:test";
import { accessible, adminToken, browser, call, openTab, signInToConsole, stoa, useStoa } from "./kit.js";

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
  const tab = await openTab(browser, stoa);
  await signInToConsole(tab, stoa);
  for (const path of pages) {
    await t.test(path, async () => {
      await tab.route("**/api/v1/**", (route) => route.fulfill(failure));
      await tab.goto(path);
      const alert = tab.getByRole("alert").first();
      await alert.waitFor();
      assert.ok((await alert.innerText()).includes(id), "the request id is missing");
      await accessible(tab, `${path} that failed`);
      await tab.unroute("**/api/v1/**");
      const again = tab.getByRole("button", { name: "Try again" });
      for (let left = await again.count(); left > 0; left = await again.count()) {
        await again.first().click();
        await tab.waitForFunction((before) => document.querySelectorAll("main [role=alert]").length < before, left);
      }
    });
  }
  await tab.end();
});

test("a list that is slow shows its outline first, then its rows", async () => {
  const tab = await openTab(browser, stoa);
  await signInToConsole(tab, stoa);
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
  await alert.waitFor();
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

test("stoa is killed while a form is filled: what was typed stays, and is saved once it is back", async () => {
  const tab = await openTab(browser, stoa);
  await signInToConsole(tab, stoa, "/console/settings");
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
