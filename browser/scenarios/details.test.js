// The pages of one thing, and the open dialogs: axe-core finds nothing serious in either
// color scheme, wide or narrow, and nothing is wider than its window.
import { test } from "node:test";
import { plugin } from "./archive.js";
import { accessible, adminToken, browser, call, install, openTab, settled, signInToConsole, stoa, useStoa } from "./kit.js";

const account = { email: "owner@example.com", username: "owner", password: "correct horse battery" };
let at;

const made = async (...args) => {
  const { status, body } = await call(stoa, ...args);
  if (status >= 300) throw new Error(`${args.slice(0, 2).join(" ")} answers ${status}: ${JSON.stringify(body)}`);
  return body.data ?? body;
};

useStoa({}, async () => {
  const token = await adminToken(stoa);
  const buyer = await made("POST", "/auth/register", { body: account });
  const body = { tierId: "pro", paymentMethod: "card", billingInfo: { email: account.email } };
  const sold = await made("POST", "/api/marketplace/products/mail-courier/purchase", { token: buyer.access_token, body });
  await made("POST", "/api/marketplace/products/mail-courier/activate", { body: { licenseKey: sold.licenseKey, instanceId: "www.example.com" } });
  const { licenseId } = await made("GET", `/api/v1/admin/orders/${sold.orderId}`, { token });
  const webhook = await made("POST", "/api/v1/admin/webhooks", { token, body: { url: "http://127.0.0.1:9/x", events: ["order.*"] } });
  const configSchema = { sender: { type: "email", label: "Sender", required: true }, key: { type: "secret", label: "Key" }, also: { type: "array", label: "Also", items: { type: "string" } } };
  const { defaultInstance } = await install(token, plugin({ slug: "keys", name: "Keys", configSchema }));
  at = {
    order: `/console/shop/orders/${sold.orderId}`, license: `/console/shop/licenses/${licenseId}`,
    person: `/console/people/${buyer.user.id}`, webhook: `/console/events/webhooks/${webhook.id}`,
    instance: `/console/plugins/keys/${defaultInstance.installationId}`, bought: `/orders/${sold.orderId}`, mine: `/licenses/${licenseId}`,
  };
});

// What opens each dialog, by the page it is on.
const dialogs = [
  ["order", /^Refund/], ["license", /^Free seat/], ["license", /^Revoke/], ["license", /^Renew/],
  ["person", /^Block/], ["webhook", /^Delete webhook/],
  ["/console/plugins", "Install from a file"], ["/console/plugins", /^Search/],
];

for (const [scheme, width] of [["light", 1440], ["dark", 1440], ["light", 360], ["dark", 360]]) {
  test(`details and dialogs, ${scheme}, ${width} px`, async (t) => {
    const tab = await openTab(browser, stoa, { width, height: 900, scheme });
    await signInToConsole(tab, stoa);
    const open = async (path) => {
      await tab.goto(path);
      await tab.locator("main h1").first().waitFor();
      await settled(tab);
    };
    for (const path of [at.order, at.license, at.person, at.webhook, at.instance, "/console/shop/products/mail-courier", "/console/shop/new-product"]) {
      await t.test(path, async () => {
        await open(path);
        await accessible(tab);
      });
    }
    for (const [page, name] of dialogs) {
      await t.test(`${page}: ${name}`, async () => {
        await open(at[page] ?? page);
        await tab.getByRole("button", { name }).first().click();
        await tab.getByRole("dialog").waitFor();
        await settled(tab);
        await accessible(tab);
        await tab.keyboard.press("Escape");
        await tab.getByRole("dialog").waitFor({ state: "detached" });
      });
    }
    await tab.end();
  });

  test(`what a buyer owns, ${scheme}, ${width} px`, async () => {
    const tab = await openTab(browser, stoa, { width, height: 900, scheme });
    await tab.goto("/sign-in");
    await tab.getByLabel("E-mail").fill(account.email);
    await tab.getByRole("textbox", { name: "Password" }).fill(account.password);
    await tab.getByRole("main").getByRole("button", { name: "Sign in" }).click();
    await tab.getByRole("heading", { name: "My licenses" }).waitFor();
    for (const path of ["/licenses", at.mine, "/orders", at.bought, "/account"]) {
      await tab.goto(path);
      await settled(tab);
      await accessible(tab);
    }
    await tab.end();
  });
}
