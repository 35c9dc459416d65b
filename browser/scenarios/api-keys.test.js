// API keys in the console: service accounts, their keys, and everybody's.
import assert from "node:assert/strict";
import { adminToken, call, fine, journey, openConsole, settled, stoa, test, useStoa } from "./kit.js";

let token;
useStoa(null, async () => { token = await adminToken(stoa); });

const orders = "/api/v1/admin/orders";
const status = async (key, path = orders) => (await call(stoa, "GET", path, { token: key })).status;

for (const [scheme, width] of [["light", 1440], ["dark", 360]]) {
  test(`a service account gets a key, its secret is replaced, and it is revoked, ${scheme}, ${width} px`, async () => {
    const name = `Bookkeeping ${scheme}`;
    const tab = await openConsole("/console/settings/api-keys", { scheme, width, height: 800 });
    await settled(tab);
    await fine(tab);
    const job = journey(tab);
    await job.click(tab.getByRole("button", { name: "Add a service account" }));
    await tab.getByRole("dialog").getByLabel("Name").fill(name);
    await fine(tab);
    await job.click(tab.getByRole("dialog").getByRole("button", { name: "Add service account" }));
    await tab.getByRole("heading", { level: 1, name }).waitFor();
    await job.click(tab.getByRole("link", { name: "Create a key" }));
    await tab.getByLabel("Name").fill("Nightly export");
    assert.ok(await tab.getByRole("button", { name: "Create key" }).isDisabled(), "a key for nothing");
    assert.equal(await tab.getByLabel("Manage API keys of others").count(), 0, "a scope that no key can have");
    await job.click(tab.getByLabel("See orders"));
    await fine(tab);
    await job.click(tab.getByRole("button", { name: "Create key" }));
    const key = await tab.locator("main .note code").innerText();
    assert.match(key, /^stoa_sk_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}$/);
    assert.equal(job.clicks(), 5);
    await fine(tab);
    assert.equal(await status(key), 200);
    assert.equal(await status(key, "/api/v1/admin/users"), 403);
    await tab.getByRole("button", { name: "Done" }).click();
    await tab.getByRole("link", { name: "Nightly export" }).click();
    await tab.getByText("Shop: See orders").waitFor();
    await tab.getByText("Works", { exact: true }).waitFor();
    await settled(tab);
    await fine(tab);
    assert.ok(!(await tab.locator("main").innerText()).includes(key.slice(21)), "the secret is shown again");
    await tab.getByRole("button", { name: "Replace the secret" }).click();
    await tab.getByRole("dialog").getByText("works for 24 hours more").waitFor();
    await fine(tab);
    await tab.getByRole("dialog").getByRole("button", { name: "Replace the secret" }).click();
    const next = await tab.locator("main .note code").innerText();
    assert.notEqual(next, key);
    assert.deepEqual([await status(key), await status(next)], [200, 200]);
    await tab.getByRole("button", { name: "Revoke key" }).click();
    await tab.getByRole("dialog").getByRole("button", { name: "Revoke key" }).click();
    await tab.getByText("Nightly export is revoked.").waitFor();
    assert.deepEqual([await status(key), await status(next)], [401, 401]);
    await tab.getByRole("heading", { level: 1, name }).waitFor();
    await tab.getByRole("button", { name: "Delete service account" }).click();
    await tab.getByRole("dialog").getByRole("button", { name: "Delete service account" }).click();
    await tab.getByText(`${name} is deleted.`).waitFor();
    await tab.end();
  });
}

test("a key whose creator may no longer do what it may is named, and goes on", async () => {
  const role = await call(stoa, "POST", "/api/v1/admin/roles", { token, body: { name: "KEYS", permissions: ["api-keys:admin", "orders:read"] } });
  assert.equal(role.status, 201);
  const who = { email: "keys-staff@example.com", username: "keys-staff", password: "correct horse battery" };
  const { user, access_token: maker } = (await call(stoa, "POST", "/auth/register", { body: who })).body.data;
  const give = (role) => call(stoa, "PATCH", `/api/v1/admin/users/${user.id}`, { token, body: { role } });
  await give("KEYS");
  const accounts = "/api/v1/admin/service-accounts";
  const account = (await call(stoa, "POST", accounts, { token: maker, body: { name: "Warehouse" } })).body.data.id;
  const made = await call(stoa, "POST", `${accounts}/${account}/keys`, { token: maker, body: { name: "Stock levels", scopes: ["orders:read"] } });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  await give("USER");
  const tab = await openConsole("/console/settings/api-keys?kind=service");
  const row = tab.getByRole("row").filter({ hasText: "Stock levels" });
  await row.getByText("Creator's role fell").waitFor();
  await row.getByText("Warehouse").waitFor();
  await settled(tab);
  await fine(tab);
  await row.getByRole("link", { name: "Stock levels" }).click();
  await tab.getByText("It goes on, because it belongs to the shop").waitFor();
  await settled(tab);
  await fine(tab);
  assert.equal(await status(made.body.data.key), 200);
  await tab.end();
});
