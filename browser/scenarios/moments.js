// What pages.js does not reach: pages of one thing, open dialogs, forms with faults, long
// lists, paper. at has the addresses of a shop in use (sample.js). open brings a page into
// the state that is meant; paper shows it as it is printed.
import { plugin } from "./archive.js";

const button = (name) => (tab) => tab.getByRole("button", { name }).first().click();
const dialogOf = (name) => async (tab) => {
  await button(name)(tab);
  await tab.getByRole("dialog").waitFor();
};
const fromMenu = (more, name) => async (tab) => {
  await button(more)(tab);
  await tab.getByRole("menuitem", { name }).click();
  await tab.getByRole("dialog").waitFor();
};
const typed = (label, text, go) => async (tab) => {
  await tab.getByLabel(label).first().fill(text);
  await button(go)(tab);
};

// chosen gives an archive to the dialog; sent uploads it, too.
const chosen = (buffer, opener = "Install from a file") => async (tab) => {
  await dialogOf(opener)(tab);
  await tab.locator("input[type=file]").setInputFiles({ name: "extension.zip", mimeType: "application/zip", buffer: buffer() });
  await tab.getByRole("combobox", { name: "Kind" }).waitFor();
};
const sent = (buffer, opener, ends) => async (tab) => {
  await chosen(buffer, opener)(tab);
  await button(/^Install .* \d|^Install \S+$/)(tab);
  await tab.getByRole("dialog").getByText(ends).first().waitFor();
};

const faulty = () => plugin({ slug: "Bad Slug", version: "1" }, "", { "tools/run.sh": "x", "../up.js": "x", [`${"deep/".repeat(20)}tool.exe`]: "x" });
// Each version asks for what the one before did not, in whatever order they are installed.
let next = 1;
const version = (...permissions) => plugin({ version: `1.1.${next++}`, permissions: ["products:read", ...permissions] });
const offered = () => version("orders:read", "users:read", "licenses:read");
let turn = false;
const asking = () => {
  turn = !turn;
  return turn ? version("orders:read", "users:read") : version("licenses:read");
};

export const moments = (at) => [
  { name: "product-long", path: "/p/long-words", as: "nobody" },
  { name: "checkout-long", path: "/checkout/long-words/all", as: "nobody" },
  { name: "checkout-faults", path: "/checkout/harbor-analytics/growth", as: "nobody", open: typed("E-mail", "ada", /^Buy for/) },
  { name: "thanks-guest", path: "/checkout/mail-courier/pro", as: "nobody", open: async (tab) => {
    await typed("E-mail", "guest@example.com", /^Buy for/)(tab);
    await tab.getByRole("heading", { name: "Thank you" }).waitFor();
  } },
  { name: "orders-guest", path: "/orders", as: "nobody" },
  { name: "shop-sign-in-failed", path: "/sign-in", as: "nobody", open: async (tab) => {
    await tab.getByLabel("E-mail").fill("ada@example.com");
    await tab.getByRole("textbox", { name: "Password" }).fill("wrong password");
    await tab.locator("main form button.primary").first().click();
    await tab.locator("[role=alert], .fault").first().waitFor();
  } },
  { name: "sign-in-continue", path: "/sign-in/continue?to=/account", as: "nobody" },
  { name: "sign-in-continue-failed", path: "/sign-in/continue?failed=PROVIDER_REFUSED", as: "nobody" },
  { name: "register-faults", path: "/register", as: "nobody", open: button("Create account") },
  { name: "reset-password-link", path: "/reset-password#ABCDEFGHIJKLMNOPQRSTUVWXYZ", as: "nobody", ready: "main h1:visible" },
  { name: "sign-in-link", path: "/sign-in/link#ABCDEFGHIJKLMNOPQRSTUVWXYZ", as: "nobody", ready: "main h1:visible" },
  { name: "verify-email-link", path: "/verify-email#ABCDEFGHIJKLMNOPQRSTUVWXYZ", as: "nobody", ready: "main h1:visible" },
  { name: "disown-link", path: "/disown#ABCDEFGHIJKLMNOPQRSTUVWXYZ", as: "nobody", ready: "main h1:visible" },
  { name: "change-email-link", path: "/change-email#ABCDEFGHIJKLMNOPQRSTUVWXYZ", as: "nobody", ready: "main h1:visible" },
  { name: "keep-second-factor-link", path: "/keep-second-factor#ABCDEFGHIJKLMNOPQRSTUVWXYZ", as: "nobody", ready: "main h1:visible" },
  { name: "invitation-link", path: "/invitation#ABCDEFGHIJKLMNOPQRSTUVWXYZ", as: "nobody", ready: "main h1:visible" },
  { name: "keep-account-link", path: "/keep-account#ABCDEFGHIJKLMNOPQRSTUVWXYZ", as: "nobody", ready: "main h1:visible" },
  { name: "not-me-link", path: "/not-me#ABCDEFGHIJKLMNOPQRSTUVWXYZ", as: "nobody", ready: "main h1:visible" },
  { name: "revert-email-link", path: "/revert-email#ABCDEFGHIJKLMNOPQRSTUVWXYZ", as: "nobody", ready: "main h1:visible" },
  { name: "claim-orders-link", path: "/claim-orders#ABCDEFGHIJKLMNOPQRSTUVWXYZ", as: "nobody", ready: "main h1:visible" },
  { name: "licenses-mine", path: "/licenses", as: "buyer" },
  { name: "license-mine", path: at.mine, as: "buyer" },
  { name: "license-mine-change", path: `${at.mine}?change`, as: "buyer" },
  { name: "license-mine-revoked", path: at.mineRevoked, as: "buyer" },
  { name: "license-mine-paper", path: at.mine, as: "buyer", paper: true },
  { name: "license-missing", path: "/licenses/nothing", as: "buyer" },
  { name: "orders-mine", path: "/orders", as: "buyer" },
  { name: "order-mine", path: at.bought, as: "buyer" },
  { name: "order-mine-end", path: at.bought, as: "buyer", open: dialogOf("End subscription"), dialog: true },
  { name: "order-mine-managed", path: at.bought.replace("/orders/", "/payment/portal/"), as: "buyer" },
  { name: "order-mine-refunded", path: at.boughtRefunded, as: "buyer" },
  { name: "order-mine-paper", path: at.bought, as: "buyer", paper: true },
  { name: "checkout-signed-in", path: "/checkout/harbor-analytics/growth", as: "buyer" },
  { name: "account-buyer", path: "/account", as: "buyer" },
  { name: "account-ways-buyer", path: "/account/sign-in", as: "buyer" },
  { name: "account-second-step-buyer", path: "/account/second-step", as: "buyer" },
  { name: "account-devices-buyer", path: "/account/devices", as: "buyer" },
  { name: "account-data-buyer", path: "/account/data", as: "buyer" },
  { name: "not-admin", path: "/console", as: "buyer", ready: "h1" },

  { name: "order", path: at.order, as: "admin" },
  { name: "order-refunded", path: at.orderRefunded, as: "admin" },
  { name: "order-refund", path: at.order, as: "admin", open: dialogOf(/^Refund/), dialog: true },
  { name: "order-paper", path: at.order, as: "admin", paper: true },
  { name: "order-missing", path: "/console/shop/orders/nothing", as: "admin" },
  { name: "license", path: at.license, as: "admin" },
  { name: "license-revoked", path: at.licenseRevoked, as: "admin" },
  { name: "license-free-seat", path: at.license, as: "admin", open: dialogOf(/^Free seat/), dialog: true },
  { name: "license-renew", path: at.license, as: "admin", open: dialogOf(/^Renew/), dialog: true },
  { name: "license-revoke", path: at.license, as: "admin", open: dialogOf(/^Revoke/), dialog: true },
  { name: "license-paper", path: at.license, as: "admin", paper: true },
  { name: "person", path: at.person, as: "admin" },
  { name: "person-block", path: at.person, as: "admin", open: fromMenu("More actions", /^Block/), dialog: true },
  { name: "person-see-as", path: at.person, as: "admin", open: dialogOf(/^See the shop as/), dialog: true },
  { name: "person-role", path: at.person, as: "admin", open: dialogOf("Change role"), dialog: true },
  { name: "invite", path: "/console/people/invitations", as: "admin", open: dialogOf("Invite somebody"), dialog: true },
  { name: "role", path: "/console/people/roles/SUPPORT", as: "admin" },
  { name: "product-faults", path: "/console/shop/new-product", as: "admin", open: button("Save draft") },
  { name: "product-editor-long", path: "/console/shop/products/long-words", as: "admin" },
  { name: "product-editor-preview", path: "/console/shop/products/long-words", as: "admin", open: async (tab) => {
    const preview = tab.getByText("Preview", { exact: true }).first();
    if (await preview.isVisible()) await preview.click();
  } },
  { name: "product-off-sale", path: "/console/shop/products/mail-courier", as: "admin", open: fromMenu("More actions", "Take off sale"), dialog: true },
  { name: "product-leave", path: "/console/shop/products/mail-courier", as: "admin", open: async (tab) => {
    await tab.getByLabel("Tagline").fill("Not saved");
    await tab.locator(".page-crumbs a").first().click();
    await tab.getByRole("dialog").waitFor();
  }, dialog: true },
  { name: "review-remove", path: "/console/shop/reviews", as: "admin", open: dialogOf(/^Remove the review/), dialog: true },
  { name: "webhook", path: at.webhook, as: "admin" },
  { name: "webhook-rotate", path: at.webhook, as: "admin", open: dialogOf("Rotate secret"), dialog: true },
  { name: "webhook-delete", path: at.webhook, as: "admin", open: dialogOf(/^Delete webhook/), dialog: true },
  { name: "api-keys-add", path: "/console/settings/api-keys", as: "admin", open: dialogOf("Add a service account"), dialog: true },
  { name: "keys-rotate", path: "/console/settings/keys", as: "admin", open: dialogOf("Rotate keys"), dialog: true },

  { name: "plugin-broken", path: "/console/plugins/tax-tables", as: "admin" },
  { name: "plugin-instance", path: at.labels, as: "admin" },
  { name: "plugin-disabled", path: at.idle, as: "admin" },
  { name: "plugin-page-disabled", path: `${at.idle}/admin`, as: "admin" },
  { name: "plugin-log", path: `${at.labels}?view=log`, as: "admin" },
  { name: "plugin-history", path: `${at.labels}?view=history`, as: "admin" },
  { name: "plugin-enable-lacking", path: at.idle, as: "admin", open: dialogOf("Enable"), dialog: true },
  { name: "plugin-page", path: `${at.labels}/admin`, as: "admin" },
  { name: "plugin-menu", path: "/console/plugins/greeter", as: "admin", open: button("More actions"), dialog: true },
  { name: "plugin-secret", path: "/console/plugins/greeter?view=settings", as: "admin", open: dialogOf("Replace the secret"), dialog: true },
  { name: "plugin-roll-back", path: "/console/plugins/greeter", as: "admin", open: fromMenu("More actions", /Roll back/), dialog: true },
  { name: "plugin-uninstall", path: "/console/plugins/greeter", as: "admin", open: fromMenu("More actions", "Uninstall…"), dialog: true },
  { name: "plugin-upgrade", path: "/console/plugins/greeter", as: "admin", open: chosen(offered, "Upgrade from a file"), dialog: true },
  { name: "plugin-consent", path: "/console/plugins/greeter", as: "admin", open: sent(asking, "Upgrade from a file", "was upgraded"), dialog: true },
  { name: "install", path: "/console/plugins", as: "admin", open: dialogOf("Install from a file"), dialog: true },
  { name: "install-chosen", path: "/console/plugins", as: "admin", open: chosen(() => plugin({ slug: "fresh", name: "Fresh", permissions: ["products:read"] })), dialog: true },
  { name: "install-faults", path: "/console/plugins", as: "admin", open: sent(faulty, "Install from a file", /faults?\./), dialog: true },
  { name: "theme-pack", path: "/console/themes/theme-shop/dusk", as: "admin" },
  { name: "search", path: "/console/plugins", as: "admin", open: dialogOf(/^Search/), dialog: true },
  { name: "search-found", path: "/console/plugins", as: "admin", open: async (tab) => {
    await dialogOf(/^Search/)(tab);
    await tab.getByRole("combobox", { name: /Go to, or find/ }).fill("ada");
    await tab.getByRole("option", { name: /ada/i }).first().waitFor();
  }, dialog: true },
  { name: "session-menu", path: "/console/plugins", as: "admin", open: button("Account"), dialog: true },
  { name: "rail", path: "/console/plugins", as: "admin", only: 360, open: button("Open navigation"), dialog: true },
];

// Lists of 10,000, in the middle and without anything found.
export const longLists = ["shop/orders", "shop/licenses", "people"].flatMap((list) => [
  { name: `many-${list.split("/").at(-1)}`, path: `/console/${list}?page=7`, as: "admin" },
  { name: `none-${list.split("/").at(-1)}`, path: `/console/${list}?q=zzzzzz`, as: "admin" },
]);

// The pages of a shop with nothing in it.
export const nothingYet = [
  { name: "empty-catalog", path: "/", as: "nobody" },
  ...[
    "", "/welcome", "/plugins", "/plugins/deliveries", "/themes", "/shop", "/shop/orders", "/shop/licenses", "/shop/figures", "/shop/reviews", "/shop/media", "/events/webhooks",
  ].map((path) => ({ name: `empty${path.replaceAll("/", "-") || "-overview"}`, path: `/console${path}`, as: "admin" })),
];
