// The pages of one thing, and what opens only after a click: axe-core finds nothing serious
// in either color scheme, wide or on a phone, and nothing is wider than its window. With
// STOA_PROOF_PAGES=1 (make proof), each is opened anew for each scheme and width.
import { plugin } from "./archive.js";
import {
  accessible, accessibleEverywhere, adminToken, browser, call, install, openConsole, openTab, settled, signInToShop,
  stoa, test, useStoa, visit,
} from "./kit.js";

const account = { email: "owner@example.com", username: "owner", password: "correct horse battery" };
let at;

const made = async (...args) => {
  const { status, body } = await call(stoa, ...args);
  if (status >= 300) throw new Error(`${args.slice(0, 2).join(" ")} answers ${status}: ${JSON.stringify(body)}`);
  return body.data ?? body;
};

useStoa(null, async () => {
  const token = await adminToken(stoa);
  const buyer = await made("POST", "/auth/register", { body: account });
  const body = { tierId: "pro", paymentMethod: "card", billingInfo: { email: account.email } };
  const sold = await made("POST", "/api/marketplace/products/mail-courier/purchase", { token: buyer.access_token, body });
  await made("POST", "/api/marketplace/products/mail-courier/activate", { body: { licenseKey: sold.licenseKey, instanceId: "www.example.com" } });
  const { licenseId } = await made("GET", `/api/v1/admin/orders/${sold.orderId}`, { token });
  const webhook = await made("POST", "/api/v1/admin/webhooks", { token, body: { url: "http://127.0.0.1:9/x", events: ["order.*"] } });
  const configSchema = { sender: { type: "email", label: "Sender", required: true }, key: { type: "secret", label: "Key" }, also: { type: "array", label: "Also", items: { type: "string" } } };
  const { defaultInstance } = await install(token, plugin({ slug: "seals", name: "Seals", configSchema }));
  at = {
    order: `/console/shop/orders/${sold.orderId}`, license: `/console/shop/licenses/${licenseId}`,
    person: `/console/people/${buyer.user.id}`, webhook: `/console/events/webhooks/${webhook.id}`,
    instance: `/console/plugins/seals/${defaultInstance.installationId}`, bought: `/orders/${sold.orderId}`, mine: `/licenses/${licenseId}`,
  };
});

const button = (name) => (tab) => tab.getByRole("button", { name }).first().click();
const menu = (item) => async (tab) => {
  await tab.getByRole("button", { name: "More actions", exact: true }).click();
  await tab.getByRole("menuitem", { name: item }).click();
};

// What is on a page, and opens each dialog: also is a box in it that has more to say.
const things = [
  { on: "order", dialogs: [[button(/^Refund/)]] },
  { on: "license", dialogs: [[button(/^Free seat/)], [button(/^Revoke/)], [button(/^Renew/)]] },
  { on: "person", dialogs: [[menu("Block")]] },
  { on: "webhook", dialogs: [[button(/^Delete webhook/)]] },
  { on: "instance", dialogs: [] },
  { on: "/console/plugins", dialogs: [[button("Install from a file")], [button(/^Search/)]] },
  { on: "/console/settings/keys", dialogs: [[button("Rotate keys")]] },
  { on: "/console/plugins/loyalty-points?view=settings", dialogs: [[button("Replace the secret")]] },
  { on: "/console/plugins/loyalty-points", dialogs: [[menu("Uninstall…"), "Also delete everything that it has stored"]] },
  { on: "/console/themes/theme-app-shop/corner", dialogs: [[menu("Delete this theme…")]] },
];

const look = async (t, options, check) => {
  const tab = await openConsole("/console", options);
  for (const { on, dialogs } of things) {
    await t.test(on, async () => {
      await visit(tab, at[on] ?? on);
      if (at[on]) await check(tab); // the others are in pages.js
      for (const [open, also] of dialogs) {
        await open(tab);
        const dialog = tab.getByRole("dialog");
        await dialog.waitFor();
        await settled(tab);
        await check(tab, `${on}: ${await dialog.first().innerText()}`);
        if (also) {
          await dialog.getByRole("checkbox", { name: also }).check();
          await check(tab, `${on}: ${also}`);
        }
        await tab.keyboard.press("Escape");
        await dialog.waitFor({ state: "detached" });
      }
    });
  }
  await tab.end();
};

const lookAsBuyer = async (t, options, check) => {
  const tab = await openTab(browser, stoa, options);
  await signInToShop(tab, account);
  for (const path of ["/licenses", at.mine, "/orders", at.bought, at.bought.replace("/orders/", "/payment/portal/"), "/account", "/account/sign-in", "/account/second-step", "/account/devices"]) {
    await t.test(path, async () => {
      await visit(tab, path);
      await check(tab);
    });
  }
  await tab.end();
};

const all = (options, check, how = "") => {
  test(`details and dialogs${how}`, (t) => look(t, options, check));
  test(`what a buyer owns${how}`, (t) => lookAsBuyer(t, options, check));
};

if (!process.env.STOA_PROOF_PAGES) {
  all({}, accessibleEverywhere);
} else {
  for (const scheme of ["light", "dark"]) {
    for (const width of [360, 1440]) all({ width, scheme }, accessible, `, ${scheme}, ${width} px`);
  }
}
