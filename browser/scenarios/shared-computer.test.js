// One computer, several people, one after the other: nobody sees what the one before had.
import assert from "node:assert/strict";
import { adminToken, browser, call, openTab, settled, signInToConsole, signInToShop, stoa, sweep, useStoa } from "./kit.js";

const password = "correct horse battery";
let token;
useStoa(null, async () => { token = await adminToken(stoa); });

const register = async (name) => {
  const who = { email: `${name}@example.com`, username: name, password };
  const { status, body } = await call(stoa, "POST", "/auth/register", { body: who });
  assert.equal(status, 201, JSON.stringify(body));
  return { ...who, id: body.data.user.id };
};

sweep("orders that a tab keeps are their buyer's, who signed out in another tab", async () => {
  const buyer = await register("left-alone");
  const tab = await openTab(browser, stoa);
  await signInToShop(tab, buyer, "/checkout/mail-courier/pro");
  await tab.getByRole("button", { name: "Buy for €29 (test)" }).click();
  await tab.waitForURL(/\/orders\//);
  const order = tab.url();
  const key = await tab.locator(".key code").textContent();
  const elsewhere = await openTab(browser, stoa, { context: tab.context() });
  await elsewhere.goto("/account");
  await elsewhere.getByRole("button", { name: "Sign out", exact: true }).first().click();
  await elsewhere.waitForFunction(() => localStorage.getItem("stoa-signed-in") === null);
  await tab.goto("/"); // a page that knew of no session
  for (const address of ["/orders", order]) {
    await tab.goto(address);
    await settled(tab);
    const shown = await tab.locator("main").innerText();
    assert.ok(!shown.includes(key) && !shown.includes("Mail Courier"), shown);
  }
  await signInToShop(tab, buyer, new URL(order).pathname); // they find it again
  await tab.getByText(key).first().waitFor();
  await elsewhere.close();
  await tab.end();
});

sweep("what was opened lately in the console is not shown to who signs in next", async () => {
  const customer = await register("opened-lately");
  const next = await register("signs-in-next");
  const made = await call(stoa, "PATCH", `/api/v1/admin/users/${next.id}`, { token, body: { role: "CATALOG" } });
  assert.equal(made.status, 200, JSON.stringify(made.body));
  const tab = await openTab(browser, stoa, { width: 1440, height: 900 });
  await signInToConsole(tab, stoa);
  const find = tab.getByRole("combobox", { name: /Go to, or find/ });
  const lately = tab.getByRole("group", { name: "Opened lately" });
  await tab.keyboard.press("Control+k");
  await find.fill(customer.email);
  await tab.getByRole("group", { name: "People", exact: true }).getByRole("option").first().click();
  await tab.waitForURL(`${stoa.url}/console/people/${customer.id}`);
  await tab.keyboard.press("Control+k");
  await lately.getByText(customer.email).waitFor();
  await tab.context().clearCookies();
  await signInToConsole(tab, { admin: next });
  await tab.keyboard.press("Control+k");
  await find.waitFor();
  assert.equal(await lately.count(), 0);
  await tab.end();
});
