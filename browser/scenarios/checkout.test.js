// The checkout when something comes in between: a browser that goes back, an answer that does not come.
import assert from "node:assert/strict";
import { browser, call, mounted, openTab, settled, signInToShop, stoa, sweep, useStoa } from "./kit.js";

useStoa();

sweep("a trial is bought in its place, also if it is not known at once", async () => {
  const buyer = { email: "slow-trial@example.com", username: "slow-trial", password: "correct horse battery" };
  const { body } = await call(stoa, "POST", "/auth/register", { body: buyer });
  const begun = await call(stoa, "POST", "/api/marketplace/products/mail-courier/trial", {
    token: body.data.access_token, body: { tierId: "pro" },
  });
  assert.ok(begun.status < 300, JSON.stringify(begun.body));
  const tab = await openTab(browser, stoa);
  await signInToShop(tab, buyer);
  const one = /\/api\/marketplace\/licenses\/[^/]+$/;
  await tab.route(one, (route) => route.fulfill({ status: 403, contentType: "application/json", body: "{}" }));
  await tab.getByRole("link", { name: /^Buy / }).click();
  const buy = tab.getByRole("button", { name: "Buy for €29 (test)" });
  await buy.and(tab.locator("[aria-disabled=true]")).waitFor();
  await tab.getByRole("alert").waitFor();
  let bought = 0;
  tab.on("request", (request) => { if (request.url().endsWith("/purchase")) bought++; });
  await buy.click({ force: true });
  await settled(tab);
  assert.equal(bought, 0, "it is not known whether the trial is bought");
  await tab.unroute(one);
  await tab.getByRole("button", { name: "Try again" }).click();
  await tab.getByText("This purchase turns your trial into the license").waitFor();
  await buy.click();
  await tab.waitForURL(/\/orders\//);
  assert.equal(await tab.locator(".key code").textContent(), begun.body.licenseKey);
  await tab.end();
});

sweep("a buyer whom the browser brings back from the payment page can go there again", async () => {
  const tab = await openTab(browser, stoa);
  const paymentUrl = `${stoa.url}/somewhere-else`;
  await tab.route(paymentUrl, (route) => route.fulfill({ status: 204 })); // the browser stays
  await tab.route("**/purchase", async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, json: { ...(await answer.json()), paymentUrl } });
  });
  await tab.route("**/lookup", async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, json: { ...(await answer.json()), status: "pending", paymentUrl } });
  });
  await tab.goto("/checkout/mail-courier/pro");
  await tab.getByLabel("E-mail").fill("back@example.com");
  const buy = tab.getByRole("button", { name: "Buy for €29 (test)" });
  await Promise.all([tab.waitForRequest(paymentUrl), buy.click()]);
  await tab.getByText("Opening the payment page").waitFor();
  // As from the back-forward cache, which a browser that is driven does not use.
  await tab.evaluate(() => dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true })));
  await buy.and(tab.locator("[aria-disabled=false]")).waitFor();
  await Promise.all([tab.waitForRequest(paymentUrl), buy.click()]);
  await tab.end();
});

sweep("the link past the header works on pages of the script, too", async () => {
  const tab = await openTab(browser, stoa);
  await tab.goto("/orders");
  await mounted(tab);
  await tab.locator("a.skip").focus();
  await tab.keyboard.press("Enter");
  await tab.waitForURL(/#content$/);
  await tab.keyboard.press("Tab");
  assert.ok(await tab.evaluate(() => document.querySelector("#content").contains(document.activeElement)));
  await tab.end();
});
