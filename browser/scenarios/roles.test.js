// The console for each role of staff: its menu, its pages and its buttons; and the roles themselves.
import assert from "node:assert/strict";
import {
  adminToken, browser, call, fine, journey, openConsole, openTab, seen, settled, signInToConsole, stoa, test,
  useStoa, visit,
} from "./kit.js";

let token;
useStoa(null, async () => { token = await adminToken(stoa); });

const password = "correct horse battery";

// member makes somebody with a role.
const member = async (role, name = role.toLowerCase()) => {
  const who = { email: `${name}-staff@example.com`, username: `${name}-staff`, password };
  const { id } = (await call(stoa, "POST", "/auth/register", { body: who })).body.data.user;
  const changed = await call(stoa, "PATCH", `/api/v1/admin/users/${id}`, { token, body: { role } });
  assert.equal(changed.status, 200, JSON.stringify(changed.body));
  return { ...who, id };
};

// enter opens the console for somebody, in a browser that nobody else uses.
const enter = async (who, path = "/console", options = {}) => {
  const tab = await openTab(browser, stoa, { width: 1440, height: 900, ...options });
  await signInToConsole(tab, { admin: who }, path);
  await settled(tab);
  return tab;
};

// paidOrder is one that can be refunded.
const paidOrder = async () => {
  const { items } = (await call(stoa, "GET", "/api/v1/admin/orders?status=paid", { token })).body.data;
  return items.find(({ amount }) => amount > 0);
};

const rail = (tab) => tab.getByRole("navigation", { name: "Console" }).getByRole("link").allInnerTexts();

// What each role has in its menu, and a page that is closed to it, with what it lacks.
const roles = {
  OPERATOR: [["Overview", "Shop", "Plugins", "Themes", "Events", "Settings"], "/console/shop/orders", "See orders"],
  CATALOG: [["Overview", "Shop", "Themes"], "/console/plugins", "See plugins and themes"],
  SUPPORT: [["Overview", "Shop", "Plugins", "People", "Events"], "/console/settings", "See the settings"],
  FINANCE: [["Overview", "Shop", "People", "Events"], "/console/people/staff", "See staff and roles"],
  ANALYST: [["Overview", "Shop", "Plugins"], "/console/people", "See people and their sessions"],
};

for (const [role, [menu, closed, lacked]] of Object.entries(roles)) {
  test(`${role} sees what the role allows, and of a closed page what it takes`, async () => {
    const refused = [];
    const tab = await enter(await member(role), "/console");
    tab.on("response", (answer) => { if (answer.status() === 403) refused.push(answer.url()); });
    assert.deepEqual((await rail(tab)).map((name) => name.trim()), menu);
    for (const area of menu) {
      await tab.getByRole("navigation", { name: "Console" }).getByRole("link", { name: area }).click();
      await settled(tab);
      assert.equal(await tab.getByRole("heading", { name: "You may not open this page" }).count(), 0, area);
      for (const path of await tab.locator("main nav.tabs a").evaluateAll((links) => links.map((link) => link.getAttribute("href")))) {
        await visit(tab, path);
        assert.equal(await tab.getByRole("heading", { name: "You may not open this page" }).count(), 0, path);
      }
    }
    await visit(tab, "/console/shop/products/harbor-analytics");
    await tab.getByRole("heading", { name: "Harbor Analytics" }).first().waitFor();
    await settled(tab);
    await visit(tab, closed);
    await tab.getByRole("heading", { name: "You may not open this page" }).waitFor();
    await tab.locator("main strong", { hasText: lacked }).waitFor();
    await tab.getByText("Whoever manages staff can give it to you, under People → Staff").waitFor();
    assert.deepEqual(refused, [], "the console asked for what the role may not have");
    await fine(tab);
    await tab.end();
  });
}

test("an administrator sees everything", async () => {
  const tab = await openConsole();
  assert.deepEqual((await rail(tab)).map((name) => name.trim()), ["Overview", "Shop", "Plugins", "Themes", "People", "Events", "Settings"]);
  await tab.end();
});

test("FINANCE refunds an order in 5 clicks, and has no button that the role lacks", async () => {
  const order = await paidOrder();
  const tab = await enter(await member("FINANCE", "refunds"), "/console");
  const job = journey(tab);
  await job.click(tab.getByRole("navigation", { name: "Console" }).getByRole("link", { name: "Shop" }));
  await job.click(tab.getByRole("navigation", { name: "Shop" }).getByRole("link", { name: "Orders" }));
  await tab.getByRole("row").filter({ has: tab.locator(`a[href$="${order.id}"]`) }).waitFor();
  await job.click(tab.locator(`a[href$="${order.id}"]`));
  await job.click(tab.getByRole("button", { name: /^Refund/ }));
  await job.click(tab.getByRole("dialog").getByRole("button", { name: /^Refund/ }));
  await tab.getByText("Refunded", { exact: true }).first().waitFor();
  assert.equal(job.clicks(), 5);
  await visit(tab, `/console/shop/licenses/${order.licenseId}`);
  assert.equal(await tab.getByRole("button", { name: /^Free seat/ }).count(), 0);
  await tab.end();
});

test("SUPPORT reads what it may not change, and finds no button for it", async () => {
  const order = await paidOrder();
  const customer = (await call(stoa, "GET", "/api/v1/admin/users?role=USER&limit=1", { token })).body.data.items[0];
  const tab = await enter(await member("SUPPORT", "reads"), `/console/shop/orders/${order.id}`);
  assert.equal(await tab.getByRole("button", { name: /^Refund/ }).count(), 0);
  await visit(tab, "/console/shop/products/mail-courier");
  await tab.getByText("You may read this.").waitFor();
  assert.ok(await tab.getByLabel("Tagline").isDisabled());
  assert.equal(await tab.getByRole("button", { name: /^(Save|More actions|Add )/ }).count(), 0);
  await fine(tab);
  await visit(tab, `/console/people/${customer.id}`);
  assert.equal(await tab.getByRole("button", { name: "Change role", exact: true }).count(), 0);
  await tab.getByRole("button", { name: "More actions" }).click();
  await tab.getByRole("menuitem", { name: "Mail a link for a new password" }).waitFor();
  assert.equal(await tab.getByRole("menuitem", { name: "Block" }).count(), 0);
  await tab.end();
});

test("without the overview, the console begins with the first page that the role has", async () => {
  const body = { name: "REVIEWER", permissions: ["reviews:read"] };
  assert.equal((await call(stoa, "POST", "/api/v1/admin/roles", { token: await adminToken(stoa), body })).status, 201);
  const tab = await enter(await member("REVIEWER"), "/console");
  await tab.getByRole("heading", { level: 1, name: "Reviews" }).waitFor();
  assert.deepEqual((await rail(tab)).map((name) => name.trim()), ["Shop"]);
  assert.deepEqual(await tab.locator("main nav.tabs a").allInnerTexts(), ["Reviews"]);
  await tab.end();
});

seen("a role is added, changed with its difference shown, and deleted", async ({ scheme, width }) => {
  const name = `MAIL_${scheme.toUpperCase()}`;
  const tab = await openConsole("/console/people/roles", { scheme, width, height: 800 });
  await tab.getByRole("table", { name: "Permissions of the roles" }).waitFor();
  await settled(tab);
  await fine(tab);
  await tab.getByRole("link", { name: "Add a role" }).click();
  await tab.getByLabel("Name").fill(`mail ${scheme}`);
  assert.equal(await tab.getByLabel("Name").inputValue(), name);
  await tab.getByLabel("See orders").check();
  await tab.getByLabel("See people and their sessions").check();
  await fine(tab);
  await tab.getByRole("button", { name: "Add role" }).click();
  await tab.getByRole("heading", { level: 1, name }).waitFor();
  const holder = await member(name);
  await tab.reload();
  await tab.getByRole("link", { name: "1 person" }).waitFor();
  assert.equal(await tab.getByRole("button", { name: "Delete role" }).count(), 0, "a role that somebody has is offered for deletion");
  await tab.getByLabel("See orders").uncheck();
  await tab.getByLabel("Refund orders").check();
  await tab.getByRole("button", { name: "Change role" }).click();
  const dialog = tab.getByRole("dialog");
  await dialog.getByText("It holds at once for 1 person.").waitFor();
  await dialog.getByText("They may from now on:").waitFor();
  await dialog.getByText("Shop: Refund orders").waitFor();
  await dialog.getByText("They may no longer:").waitFor();
  await dialog.getByText("Shop: See orders").waitFor();
  await fine(tab);
  await dialog.getByRole("button", { name: "Change role" }).click();
  await tab.getByText(`${name} is changed.`).waitFor();
  const made = (await call(stoa, "GET", `/api/v1/admin/roles/${name}`, { token })).body.data;
  assert.deepEqual([...made.permissions].sort(), ["orders:refund", "users:read"]);
  assert.equal((await call(stoa, "PATCH", `/api/v1/admin/users/${holder.id}`, { token, body: { role: "USER" } })).status, 200);
  await tab.reload();
  await tab.getByRole("button", { name: "Delete role" }).click();
  await tab.getByRole("dialog").getByRole("button", { name: "Delete role" }).click();
  await tab.getByText(`${name} is deleted.`).waitFor();
  await tab.getByRole("table", { name: "Permissions of the roles" }).waitFor();
  assert.equal((await call(stoa, "GET", `/api/v1/admin/roles/${name}`, { token })).status, 404);
  await tab.end();
});

test("a person gets a role, and what it allows is said before", async () => {
  const who = { email: "helper@example.com", username: "helper", password };
  const { id } = (await call(stoa, "POST", "/auth/register", { body: who })).body.data.user;
  const tab = await openConsole(`/console/people/${id}`);
  await tab.getByRole("button", { name: "Change role" }).click();
  const dialog = tab.getByRole("dialog");
  await dialog.getByRole("combobox", { name: "Role" }).click();
  await tab.getByRole("option", { name: "Support" }).click();
  await dialog.getByText("They may then:").waitFor();
  await dialog.getByText(/Free seats/).waitFor();
  await fine(tab);
  await dialog.getByRole("button", { name: "Give the role Support" }).click();
  await tab.getByText("helper@example.com is Support now.").waitFor();
  await visit(tab, "/console/people/staff?role=SUPPORT");
  await tab.getByRole("link", { name: "helper@example.com" }).waitFor();
  await visit(tab, `/console/people/${id}`);
  await tab.getByRole("button", { name: "Change role" }).click();
  await dialog.getByRole("combobox", { name: "Role" }).click();
  await tab.getByRole("option", { name: "No staff: a customer" }).click();
  await dialog.getByRole("button", { name: "Take the role away" }).click();
  await tab.getByText("helper@example.com is Customer now.").waitFor();
  await tab.end();
});

test("a refusal says in words which permission is lacking", async () => {
  const order = await paidOrder();
  const who = await member("FINANCE", "demoted");
  const tab = await enter(who, `/console/shop/orders/${order.id}`);
  await tab.getByRole("button", { name: /^Refund/ }).click();
  assert.equal((await call(stoa, "PATCH", `/api/v1/admin/users/${who.id}`, { token, body: { role: "SUPPORT" } })).status, 200);
  const other = (await call(stoa, "POST", "/auth/login", { body: who })).body.data.access_token;
  for (let may = ["orders:refund"]; may.includes("orders:refund");) {
    may = (await call(stoa, "GET", "/auth/account", { token: other })).body.data.permissions;
  }
  await tab.getByRole("dialog").getByRole("button", { name: /^Refund/ }).click();
  await tab.getByText("Your role lacks a permission for this: Refund orders.").waitFor();
  await tab.end();
});
