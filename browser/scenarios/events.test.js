// The console's Events: the audit log, and webhooks from their first message to their end.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after } from "node:test";
import { adminToken, call, openConsole, stoa, sweep, test, useStoa } from "./kit.js";

let receiver, works = false;
const received = [];
useStoa(async () => {
  receiver = createServer((request, response) => {
    received.push(request.headers);
    response.writeHead(works ? 204 : 500).end();
  });
  await new Promise((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  return {};
});
after(() => receiver.close());

sweep("a webhook is added, tested, sent again and deleted", async () => {
  const tab = await openConsole("/console/events/webhooks");
  // The list's own, or that of its head until it is known to be empty.
  await tab.getByRole("link", { name: "Add webhook" }).and(tab.locator(":visible")).first().click();
  await tab.getByLabel("Address").fill("no address");
  await tab.getByRole("button", { name: "Add webhook" }).click();
  await tab.getByText(/^Must be an? .*(address|URL)/i).waitFor(); // the fault is at its field
  await tab.getByLabel("Address").fill(`http://127.0.0.1:${receiver.address().port}/hook`);
  await tab.getByLabel("order.paid").check();
  await tab.getByRole("button", { name: "Add webhook" }).click();
  await tab.getByText(/^whsec_/).waitFor();
  await tab.getByRole("link", { name: "Open the webhook" }).click();
  await tab.getByRole("button", { name: "Send a test" }).click();
  // Until it works: the page reads every 5 s, and after 5 s stoa tries again by itself.
  await tab.getByText(/500 · /).waitFor();
  works = true;
  await tab.getByRole("button", { name: "Send webhook.test again" }).click();
  await tab.getByText("Delivered").first().waitFor();
  assert.ok(received.length >= 2); // stoa's own retry may have come in between
  assert.equal(new Set(received.map((headers) => headers["webhook-id"])).size, 1, "the id changed");

  await tab.getByRole("button", { name: "Delete webhook" }).click();
  const dialog = tab.getByRole("dialog");
  await dialog.getByText("Events that were not delivered yet are not sent.").waitFor();
  await dialog.getByRole("button", { name: "Delete webhook" }).click();
  await tab.getByRole("heading", { name: "No webhooks yet" }).waitFor();
  await tab.end();
});

test("the audit log finds who did what, and its address can be shared", async () => {
  const token = await adminToken(stoa);
  await call(stoa, "POST", "/api/v1/admin/webhooks", { token, body: { url: "http://127.0.0.1:9/x", events: ["order.*"] } });
  const tab = await openConsole("/console/events?action=webhook");
  await tab.getByRole("cell", { name: "webhook.create" }).first().waitFor();
  assert.equal(await tab.getByRole("cell", { name: "plugin.install" }).count(), 0);
  await tab.keyboard.press("/");
  await tab.keyboard.type("nobody@example.com");
  await tab.getByText("Nothing matches these filters.").waitFor();
  await tab.waitForURL(/q=nobody/); // a little after the last letter
  await tab.getByRole("button", { name: "Clear filters" }).last().click();
  await tab.getByRole("cell", { name: "plugin.install" }).first().waitFor();
  await tab.end();
});

sweep("what was typed into a webhook's form stays when the webhook changes", async () => {
  const token = await adminToken(stoa);
  const { body } = await call(stoa, "POST", "/api/v1/admin/webhooks", { token, body: { url: "http://127.0.0.1:9/typed", events: ["order.*"] } });
  const tab = await openConsole(`/console/events/webhooks/${body.data.id}`);
  await tab.locator("form input[type=url]").waitFor();
  await tab.locator("form input[type=url]").fill("http://127.0.0.1:9/unsaved");
  await tab.getByRole("button", { name: "Turn off" }).click();
  await tab.getByRole("button", { name: "Turn on" }).waitFor();
  assert.equal(await tab.locator("form input[type=url]").inputValue(), "http://127.0.0.1:9/unsaved");
  await tab.getByRole("button", { name: "Save changes" }).click();
  await tab.getByText("http://127.0.0.1:9/unsaved").first().waitFor();
  await tab.end();
});
