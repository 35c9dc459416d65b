// Staff see the shop as a customer does, in a tab of its own: it says so on every page, changes nothing, leaves the
// session of staff alone, and ends.
import assert from "node:assert/strict";
import {
  accessible, browser, call, journey, mounted, openConsole, openTab, scrollsSideways, seen,
  settled, signInToShop, stoa, sweep, test, useStoa,
} from "./kit.js";

const ada = { email: "ada-seen@example.com", username: "ada-seen", password: "correct horse battery" };
let user;

useStoa(null, async () => {
  const { body } = await call(stoa, "POST", "/auth/register", { body: ada });
  user = body.data.user;
  const bought = await call(stoa, "POST", "/api/marketplace/products/harbor-analytics/purchase", {
    token: body.data.access_token, body: { tierId: "growth", paymentMethod: "card", billingInfo: { email: ada.email } },
  });
  assert.ok(bought.status < 300, JSON.stringify(bought.body));
});

const see = async (tab) => {
  await tab.getByRole("button", { name: "See the shop as ada-seen" }).click();
  const dialog = tab.getByRole("dialog");
  await dialog.getByLabel("What this is for").fill("Ticket 4711: the page of licenses is empty.");
  return dialog;
};
const begin = async (tab) => {
  const dialog = await see(tab);
  const opened = tab.context().waitForEvent("page");
  await dialog.getByRole("button", { name: "See the shop as ada-seen" }).click();
  return opened;
};

seen("the shop is seen as a customer, and the tab says so on every page", async ({ scheme, width }) => {
  const tab = await openConsole(`/console/people/${user.id}`, { scheme, width });
  await see(tab);
  await accessible(tab, "the dialog");
  await tab.keyboard.press("Escape");
  const shop = await begin(tab);
  const bar = shop.getByRole("region", { name: "You see the shop as somebody else" });
  for (const path of ["/account", "/", "/p/harbor-analytics", "/licenses", "/checkout/harbor-analytics/growth"]) {
    await shop.goto(stoa.url + path);
    await bar.getByText("you see the shop as ada-seen, and can change nothing").waitFor();
    await bar.getByText(/minutes left/).waitFor();
    assert.equal(await scrollsSideways(shop), 0, path);
  }
  await shop.goto(`${stoa.url}/licenses`);
  await shop.getByText("Harbor Analytics").first().waitFor();
  await accessible(shop, "licenses, seen as a customer");

  await tab.reload(); // staff are signed in, as before
  await tab.getByText("Running", { exact: true }).waitFor();
  await tab.goto(`${stoa.url}/console/people/seen`);
  await tab.getByText("Ticket 4711").first().waitFor();
  await accessible(tab, "the list");

  await bar.getByRole("button", { name: "End" }).click();
  await shop.waitForURL(/\/console\/people\//);
  await shop.getByRole("heading", { name: ada.email }).waitFor(); // as staff again
  assert.equal(await shop.evaluate(() => sessionStorage.length), 0);
  await tab.reload();
  await tab.getByText("Ended").first().waitFor();
  await shop.close();
  await tab.end();
});

test("it takes 4 clicks and a reason, from the overview", async () => {
  const tab = await openConsole("/console");
  const job = journey(tab);
  await job.click(tab.getByRole("navigation", { name: "Console" }).getByRole("link", { name: "People" }));
  await job.click(tab.getByRole("link", { name: ada.email }).first());
  await job.click(tab.getByRole("button", { name: "See the shop as ada-seen" }));
  const dialog = tab.getByRole("dialog");
  await dialog.getByLabel("What this is for").fill("Ticket 4711: the page of licenses is empty.");
  const opened = tab.context().waitForEvent("page");
  await job.click(dialog.getByRole("button", { name: "See the shop as ada-seen" }));
  const shop = await opened;
  await shop.getByRole("region", { name: "You see the shop as somebody else" }).waitFor();
  assert.equal(job.clicks(), 4);
  await shop.close();
  await tab.end();
});

sweep("a tab whose impersonation staff end closes, without a click in it", async () => {
  const staff = await openConsole(`/console/people/${user.id}`);
  const end = async () => {
    await staff.getByRole("button", { name: "End", exact: true }).first().click();
    const dialog = staff.getByRole("dialog");
    await dialog.getByText("It ends at once").waitFor();
    await dialog.getByRole("button", { name: "End", exact: true }).click();
    await staff.getByText("It has ended.").first().waitFor();
  };
  const used = await begin(staff);
  await used.getByRole("region", { name: "You see the shop as somebody else" }).waitFor();
  const token = await used.evaluate(() => JSON.parse(sessionStorage.getItem("stoa-as")).token);
  await end();
  assert.equal((await call(stoa, "GET", "/auth/me", { token })).status, 401); // when staff are told, it is over
  await used.waitForURL(/\/console\/people\//); // without a click in it
  await used.close();
  await staff.end();
});

sweep("the customer finds who looked, and ends it", async () => {
  const staff = await openConsole(`/console/people/${user.id}`);
  const shop = await begin(staff);
  const tab = await openTab(browser, stoa);
  await signInToShop(tab, ada, "/account/devices");
  await mounted(tab);
  await tab.getByText(/The people who run the shop see it as you do/).first().waitFor();
  await tab.getByText("Shop seen as you see it, by the people who run the shop").first().waitFor();
  await settled(tab);
  await accessible(tab, "devices, while staff look");
  await tab.getByRole("listitem").filter({ hasText: "see it as you do" }).getByRole("button", { name: "Sign out" }).first().click();
  await tab.getByText("That device is signed out.").waitFor();
  await shop.goto(`${stoa.url}/licenses`);
  await shop.waitForURL(/\/console\/people\//);
  await shop.close();
  await tab.end();
  await staff.end();
});
