// What staff typed in the console stays where it belongs: in its own form, and until it is saved or given up.
import assert from "node:assert/strict";
import { plugin } from "./archive.js";
import { adminToken, call, install, openConsole, settled, stoa, sweep, useStoa, visit } from "./kit.js";

let token;
useStoa(null, async () => { token = await adminToken(stoa); });

// reconnected has the browser read again what it shows, as after a network that was away.
const reconnected = async (tab, path) => {
  const read = tab.waitForResponse((r) => r.url().endsWith(path) && r.request().method() === "GET");
  await tab.evaluate(() => { // what was read is old
    const now = Date.now;
    Date.now = () => now() + 600_000;
  });
  await tab.evaluate(() => ["offline", "online"].forEach((name) => dispatchEvent(new Event(name))));
  await read;
  await settled(tab);
};

sweep("what was typed into one webhook's form does not go along to another", async () => {
  const add = async (port) => (await call(stoa, "POST", "/api/v1/admin/webhooks", {
    token, body: { url: `http://127.0.0.1:${port}/hook`, events: ["order.*"] },
  })).body.data.id;
  const [one, other] = [await add(91), await add(92)];
  const tab = await openConsole(`/console/events/webhooks/${one}`);
  const address = tab.locator("form input[type=url]");
  await address.waitFor();
  await visit(tab, `/console/events/webhooks/${other}`);
  await tab.getByRole("heading", { name: "127.0.0.1:92" }).waitFor();
  await address.fill("http://127.0.0.1:9/unsaved");
  await visit(tab, `/console/events/webhooks/${one}`);
  await tab.getByRole("heading", { name: "127.0.0.1:91" }).waitFor();
  assert.equal(await address.inputValue(), "http://127.0.0.1:91/hook");

  // What cannot be read again stays, with what was typed.
  await address.fill("http://127.0.0.1:9/unsaved");
  let failed = 0;
  await tab.route(`**/api/v1/admin/webhooks/${one}`, (route) => { failed++; return route.fulfill({ status: 400, body: "{}" }); });
  await reconnected(tab, `/webhooks/${one}`);
  assert.ok(failed > 0);
  assert.equal(await address.inputValue(), "http://127.0.0.1:9/unsaved");
  for (const id of [one, other]) await call(stoa, "DELETE", `/api/v1/admin/webhooks/${id}`, { token });
  await tab.end();
});

sweep("what somebody else changed in a product is not taken back by what was typed before it was read again", async () => {
  const path = "/api/v1/admin/products/mail-courier";
  const read = async () => (await call(stoa, "GET", path, { token })).body.data;
  const before = await read();
  const tab = await openConsole("/console/shop/products/mail-courier");
  await tab.getByLabel("Tagline").fill("Typed here.");
  const changed = await call(stoa, "PATCH", path, { token, body: { description: "Changed there." } });
  assert.equal(changed.status, 200, JSON.stringify(changed.body));
  await reconnected(tab, path);
  await tab.getByRole("button", { name: "Save changes" }).click();
  await tab.getByRole("alert").getByText("They changed: description.").waitFor();
  await tab.getByRole("button", { name: "Save mine too" }).click();
  await tab.getByRole("alert").waitFor({ state: "detached" });
  await settled(tab);
  const after = await read();
  assert.deepEqual([after.shortDescription, after.description], ["Typed here.", "Changed there."]);
  await tab.locator(".save-bar").waitFor({ state: "detached" });

  // Nothing is typed now: what somebody else saves is shown, and is nothing to save.
  const back = await call(stoa, "PATCH", path, { token, body: { shortDescription: before.shortDescription, description: before.description } });
  assert.equal(back.status, 200, JSON.stringify(back.body));
  await reconnected(tab, path);
  await tab.locator(`input[value=${JSON.stringify(before.shortDescription)}]`).first().waitFor();
  assert.equal(await tab.locator(".save-bar").count(), 0);
  await tab.end();
});

sweep("a refund is what is typed, and says what it does while it is typed", async () => {
  const { body: { orderId } } = await call(stoa, "POST", "/api/marketplace/products/mail-courier/purchase", {
    body: { tierId: "pro", paymentMethod: "card", billingInfo: { email: "parts@example.com" } },
  });
  const tab = await openConsole(`/console/shop/orders/${orderId}`);
  const open = tab.getByRole("button", { name: "Refund", exact: true });
  await open.click();
  const dialog = tab.getByRole("dialog");
  const amount = dialog.getByRole("textbox", { name: "Amount in EUR" });
  const whole = dialog.getByText(/The license is revoked for good/);
  await whole.waitFor();
  await amount.fill("1,250");
  await dialog.getByText("This may mean 1250 or 1.250.").waitFor();
  assert.equal(await dialog.getByRole("button", { name: "Refund", exact: true }).isDisabled(), true);
  assert.equal(await whole.count(), 0);
  await amount.fill("19.90"); // and not left: it is known what it does
  await dialog.getByText("€19.90 go back to the buyer. The order stays paid and its license goes on.").waitFor();
  await dialog.getByRole("button", { name: "Refund €19.90" }).click();
  await tab.getByText("€19.90 were refunded.").waitFor();
  await dialog.waitFor({ state: "detached" });
  await tab.getByText("€19.90", { exact: true }).first().waitFor();
  await open.click();
  assert.equal(await amount.inputValue(), "9.10", "29 - 19.9 is not the number that a computer makes of it");
  await whole.waitFor();
  await dialog.getByRole("button", { name: "Refund €9.10" }).click();
  await tab.getByText("€9.10 were refunded and the license was revoked.").waitFor();
  await tab.end();
});

sweep("a secret whose replacement is left empty stays", async () => {
  const configSchema = { note: { type: "string" }, apiKey: { type: "string", secret: true, title: "Service key" } };
  const { defaultInstance: { installationId } } = await install(token, plugin({ slug: "replacer", name: "Replacer", configSchema }));
  const path = `/api/v1/admin/plugins/replacer/instances/${installationId}`;
  const set = await call(stoa, "PATCH", path, { token, body: { config: { apiKey: "k-sesame" } } });
  assert.equal(set.status, 200, JSON.stringify(set.body));
  const tab = await openConsole(`/console/plugins/replacer/${installationId}`);
  await tab.getByRole("button", { name: /^Replace / }).click();
  await tab.getByRole("textbox", { name: "note" }).fill("changed");
  await tab.getByRole("button", { name: "Save configuration" }).click();
  await tab.getByText(/Replacer is configured|The config of Replacer is saved/).first().waitFor();
  const { config, configMeta } = (await call(stoa, "GET", path, { token })).body.data;
  assert.deepEqual([config.note, configMeta.secretFields.apiKey.configured], ["changed", true]);
  await tab.end();
});

sweep("saving again after a failure saves; after somebody else's change it shows theirs", async () => {
  const tab = await openConsole("/console/settings");
  const help = tab.getByLabel("E-mail for help");
  await help.fill("again@example.com");
  const settings = "**/api/v1/admin/settings";
  await tab.route(settings, (route) => route.request().method() === "PATCH" ? route.abort() : route.continue());
  await tab.getByRole("button", { name: "Save settings" }).click();
  await tab.getByRole("alert").waitFor();
  await tab.unroute(settings);
  await tab.getByRole("button", { name: "Try again" }).click();
  await tab.getByText("The settings are saved.").waitFor();
  const read = async () => (await call(stoa, "GET", "/api/v1/admin/settings", { token })).body.data.supportEmail;
  assert.equal(await read(), "again@example.com");

  await help.fill("mine@example.com");
  await call(stoa, "PATCH", "/api/v1/admin/settings", { token, body: { supportEmail: "theirs@example.com" } });
  await tab.getByRole("button", { name: "Save settings" }).click();
  await tab.getByRole("alert").getByRole("button", { name: "Load what is there now" }).click();
  await tab.locator("input[value='theirs@example.com']").waitFor();
  assert.equal(await read(), "theirs@example.com");
  await call(stoa, "PATCH", "/api/v1/admin/settings", { token, body: { supportEmail: null } });
  await tab.end();
});

sweep("the words of a mail stay typed while another language is looked at", async () => {
  const tab = await openConsole("/console/shop/mails/receipt");
  const subject = tab.getByRole("textbox", { name: /Subject/ });
  await subject.fill("Typed in English");
  const choose = async (name) => {
    await tab.locator("input[aria-label=Language]").click();
    await tab.getByRole("option", { name, exact: true }).click();
    await settled(tab);
  };
  await choose("German");
  assert.notEqual(await subject.inputValue(), "Typed in English");
  const theirs = { subject: "Theirs", text: "Theirs, {{shopName}}\n\n{{licenseKey}}\n" };
  const put = await call(stoa, "PUT", "/api/v1/admin/mail-templates/receipt/en", { token, body: theirs });
  assert.ok(put.status < 300, JSON.stringify(put.body));
  await tab.evaluate(() => { // what was read is old
    const now = Date.now;
    Date.now = () => now() + 60_000;
  });
  await choose("English");
  await tab.getByRole("heading", { name: "Your words" }).waitFor();
  assert.equal(await subject.inputValue(), "Typed in English");
  assert.equal(await tab.getByRole("textbox", { name: /^Text/ }).inputValue(), theirs.text, "what was not typed is as it is saved");
  await call(stoa, "DELETE", "/api/v1/admin/mail-templates/receipt/en", { token });
  await tab.end();
});

sweep("a tab that the browser blocked is not a server that cannot be reached", async () => {
  const { body } = await call(stoa, "POST", "/auth/register", {
    body: { email: "popup@example.com", username: "popup", password: "correct horse battery" },
  });
  const tab = await openConsole(`/console/people/${body.data.user.id}`);
  await tab.evaluate(() => { window.open = () => null; });
  await tab.getByRole("button", { name: "See the shop as popup" }).click();
  const dialog = tab.getByRole("dialog");
  await dialog.getByLabel("What this is for").fill("Ticket 4711: the page of licenses is empty.");
  await dialog.getByRole("button", { name: "See the shop as popup" }).click();
  await dialog.getByRole("alert").getByText(/The browser blocked the new tab/).waitFor();
  await tab.end();
});
