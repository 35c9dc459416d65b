// The jobs of operators and buyers with the keyboard alone: Tab, Shift+Tab, Enter, Space,
// Escape, arrows and typing. The focus is always visible and never lost.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { plugin } from "./archive.js";
import { adminToken, browser, call, openConsole, openTab, settled, stoa, sweep, test, useStoa } from "./kit.js";

let token, sold;
useStoa(null, async () => {
  token = await adminToken(stoa);
  const body = { tierId: "pro", paymentMethod: "card", billingInfo: { email: "grace@example.com" } };
  sold = (await call(stoa, "POST", "/api/marketplace/products/mail-courier/purchase", { body })).body;
  for (const instanceId of ["www.example.com", "blog.example.com"]) {
    const use = { licenseKey: sold.licenseKey, instanceId };
    const { status } = await call(stoa, "POST", "/api/marketplace/products/mail-courier/activate", { body: use });
    assert.ok(status < 300, `activate answers ${status}`);
  }
  sold.licenseId = (await call(stoa, "GET", `/api/v1/admin/orders/${sold.orderId}`, { token })).body.data.licenseId;
});

// focused describes what has the focus, and whether it can be seen there.
const focused = (tab) => tab.evaluate(() => {
  const el = document.activeElement;
  if (!el || el === document.body) return { name: "", seen: true, lost: true };
  const name = el.getAttribute("aria-label") || el.labels?.[0]?.innerText || el.innerText || el.getAttribute("placeholder") || el.id;
  const outlined = (style) => (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1) || style.boxShadow !== "none";
  // A link that fills its card has its outline around the card; a field changes its border.
  const shows = (node) => outlined(getComputedStyle(node)) || outlined(getComputedStyle(node, "::after"))
    || [node.parentElement, node.parentElement?.parentElement, node.closest("article, li")].some((up) => up && outlined(getComputedStyle(up)))
    || (node.matches("input, textarea, select") && getComputedStyle(node).borderTopWidth !== "0px");
  if (el.matches("main")) return { name: "", seen: true }; // a page that opened begins there
  const box = el.getBoundingClientRect();
  const inside = box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
  const seen = inside && (shows(el) || (el.labels?.[0] && shows(el.labels[0])));
  return { name: name.trim().replace(/\s+/g, " "), seen, role: el.getAttribute("role") ?? el.tagName.toLowerCase(), html: el.outerHTML.slice(0, 160) };
});

// go presses a key until something that is called name has the focus; each stop on the way
// must be visible. A page that is still being read may grow, so it goes around twice.
const go = async (tab, name, { key = "Tab", role } = {}) => {
  const fits = (at) => (typeof name === "string" ? at.name === name : name.test(at.name)) && (!role || at.role === role);
  const passed = [];
  for (let steps = 0; steps < 160; steps++) {
    const at = await focused(tab);
    if (!at.lost && at.name) {
      assert.ok(at.seen, `the focus is not visible at ${at.html}`);
      if (steps > 0 || key !== "Tab") passed.push(at.name);
      if (fits(at)) return at;
    }
    await tab.keyboard.press(key);
  }
  throw new Error(`${name} is not reached with ${key}; passed ${passed.slice(0, 60).join(" | ")}`);
};

const press = (tab, ...keys) => keys.reduce((before, key) => before.then(() => tab.keyboard.press(key)), Promise.resolve());

const signIn = async (tab, path) => {
  await tab.goto(path);
  await go(tab, /^E-mail/);
  await tab.keyboard.type(stoa.admin.email);
  await go(tab, /^Password/);
  await tab.keyboard.type(stoa.admin.password);
  await press(tab, "Enter");
  await tab.locator(".shell main h1").first().waitFor();
};

// dialogHasFocus waits until a dialog has the focus: before that, a key would reach what
// opened it.
const dialogHasFocus = (tab) => tab.waitForFunction(() => document.activeElement?.closest("[role=dialog]"));

test("support: sign in, find a license, free its seat, refund its order", async () => {
  const tab = await openTab(browser, stoa);
  await signIn(tab, "/console/shop/licenses");
  await tab.getByRole("link", { name: sold.licenseId }).waitFor();
  await press(tab, "/");
  await tab.keyboard.type("grace@example.com");
  await tab.getByText("1–1 of 1").waitFor();
  await go(tab, sold.licenseId);
  await press(tab, "Enter");
  await tab.getByRole("heading", { level: 1 }).filter({ hasText: /./ }).first().waitFor();
  await tab.getByText("www.example.com").first().waitFor();
  // The next page takes the focus, so that Tab goes on in it and a screen reader begins there.
  await tab.waitForFunction(() => document.activeElement?.closest("main"));

  const { name: freed } = await go(tab, /^Free/);
  await press(tab, "Enter");
  await dialogHasFocus(tab);
  await press(tab, "Escape");
  await tab.getByRole("dialog").waitFor({ state: "detached" });
  // The focus returns to what opened the dialog.
  await tab.waitForFunction(() => /^Free/.test(document.activeElement.ariaLabel ?? document.activeElement.innerText));
  await press(tab, "Enter");
  await dialogHasFocus(tab);
  await go(tab, /^Free/);
  await press(tab, "Enter");
  await tab.getByRole("dialog").waitFor({ state: "detached" });
  // Its row goes away: the focus moves to the next seat, and after the last to the heading.
  await tab.waitForFunction((name) => /^Free seat of /.test(document.activeElement.ariaLabel) && document.activeElement.ariaLabel !== name, freed);
  await press(tab, "Enter");
  await dialogHasFocus(tab);
  await go(tab, /^Free/);
  await press(tab, "Enter");
  await tab.getByRole("dialog").waitFor({ state: "detached" });
  await tab.waitForFunction(() => document.activeElement.matches("h2"));

  await tab.goto(`/console/shop/orders/${sold.orderId}`);
  await tab.getByRole("button", { name: /^Refund/ }).first().waitFor();
  await go(tab, /^Refund/);
  await press(tab, "Enter");
  await dialogHasFocus(tab);
  await go(tab, /^Refund/);
  await press(tab, "Space");
  await tab.getByRole("dialog").waitFor({ state: "detached" });
  const order = await call(stoa, "GET", `/api/v1/admin/orders/${sold.orderId}`, { token });
  assert.equal(order.body.data.status, "refunded");
  await tab.end();
});

test("a plugin is installed from a file, configured and enabled", async () => {
  const file = join(stoa.folder, "keys.zip");
  const configSchema = { sender: { type: "email", label: "Sender", required: true } };
  writeFileSync(file, plugin({ slug: "keys", name: "Keys", configSchema }));
  const tab = await openConsole("/console/plugins");
  await go(tab, "Install from a file");
  await press(tab, "Enter");
  await dialogHasFocus(tab);
  const chooser = tab.waitForEvent("filechooser"); // the system's own dialog
  await go(tab, /Choose|file/i);
  await press(tab, "Enter");
  await (await chooser).setFiles(file);
  await tab.getByRole("combobox", { name: "Kind" }).waitFor();
  await go(tab, "Install Keys 1.0.0");
  await press(tab, "Enter");
  await tab.getByText("Keys 1.0.0 is installed.").waitFor();
  await go(tab, /^Configure/);
  await press(tab, "Enter");
  await tab.getByLabel("Sender").waitFor();
  await go(tab, /^Sender/);
  await tab.keyboard.type("shop@example.com");
  await go(tab, "Save configuration");
  await press(tab, "Enter");
  await tab.getByText("The config of Keys is saved.").hover(); // so that it stays
  await go(tab, "Enable");
  await press(tab, "Enter");
  await tab.getByText("Keys (default) is enabled.").waitFor();
  await tab.end();
});

test("on a phone the navigation takes the focus, and gives it back", async () => {
  const tab = await openConsole("/console/plugins", { width: 360, height: 740 });
  await go(tab, "Open navigation");
  await press(tab, "Enter");
  await tab.waitForFunction(() => document.activeElement.innerText.trim() === "Plugins");
  await press(tab, "Escape");
  await tab.waitForFunction(() => document.activeElement.ariaLabel === "Open navigation");
  await press(tab, "Enter");
  await go(tab, "People");
  await press(tab, "Enter");
  await tab.getByRole("heading", { level: 1, name: "People" }).waitFor();
  await tab.waitForFunction(() => document.activeElement.matches("main"));
  await tab.end();
});

sweep("the search box keeps the focus when a page that is slow to come arrives behind it", async () => {
  const tab = await openConsole();
  const field = tab.getByRole("combobox", { name: /Go to, or find/ });
  await press(tab, "Control+k");
  await field.waitFor();
  await press(tab, "Escape");
  await field.waitFor({ state: "detached" });
  let arrive;
  const held = new Promise((resolve) => { arrive = resolve; });
  await tab.route("**/assets/*/*.js", (route) => held.then(() => route.continue()));
  await tab.getByRole("link", { name: "People" }).click();
  await press(tab, "Control+k");
  await dialogHasFocus(tab);
  arrive();
  // By its text: it is hidden from assistive technology while the dialog is open.
  await tab.locator("main h1", { hasText: "People" }).waitFor();
  await settled(tab); // effects have run
  assert.equal((await focused(tab)).role, "combobox");
  await tab.end();
});

test("a button that works for a while has the focus again afterwards", async () => {
  const tab = await openConsole("/console/settings");
  await tab.getByLabel("Name of the shop").fill("Keys");
  await go(tab, "Save settings");
  await press(tab, "Enter");
  await tab.getByText("The settings are saved.").waitFor();
  await tab.waitForFunction(() => document.activeElement.innerText === "Save settings");
  await tab.end();
});

sweep("a buyer frees a seat and takes it back, and reads on where they were", async () => {
  const body = { email: "keys.buyer@example.com", username: "keysbuyer", password: "correct horse battery" };
  const as = (await call(stoa, "POST", "/auth/register", { body })).body.data.access_token;
  const bought = (await call(stoa, "POST", "/api/marketplace/products/mail-courier/purchase", {
    token: as, body: { tierId: "pro", paymentMethod: "card", billingInfo: { email: body.email } },
  })).body;
  await call(stoa, "POST", "/api/marketplace/products/mail-courier/activate", { body: { licenseKey: bought.licenseKey, instanceId: "www.example.net" } });
  const tab = await openTab(browser, stoa);
  await tab.goto("/sign-in?next=/licenses");
  await tab.getByLabel(/^E-mail/).waitFor(); // each is drawn when its data has come, here and below
  await go(tab, /^E-mail/);
  await tab.keyboard.type(body.email);
  await go(tab, /^Password/);
  await tab.keyboard.type("wrong");
  await press(tab, "Enter");
  await tab.getByRole("alert").waitFor();
  assert.ok((await focused(tab)).name, "the focus is lost after a refusal");
  await press(tab, "Control+a");
  await tab.keyboard.type(body.password);
  await press(tab, "Enter");
  await tab.getByRole("heading", { name: "My licenses" }).waitFor();
  await tab.getByText(/^Seats and lease/).first().waitFor();
  await go(tab, /^Seats and lease/);
  await press(tab, "Enter");
  await tab.getByRole("button", { name: "Free this seat: www.example.net" }).waitFor();
  await go(tab, "Free this seat: www.example.net");
  await press(tab, "Enter");
  await tab.getByText("The seat of www.example.net is free.").waitFor();
  const heading = () => tab.waitForFunction(() => document.activeElement.innerText === "Where it is activated");
  await heading();
  await go(tab, "Activate again");
  await press(tab, "Enter");
  await tab.getByText("The seat of www.example.net is free.").waitFor({ state: "detached" });
  await heading();
  await tab.end();
});

test("a guest buys", async () => {
  const tab = await openTab(browser, stoa);
  await tab.goto("/");
  await go(tab, /Mail Courier/);
  await press(tab, "Enter");
  await tab.getByRole("heading", { level: 1, name: "Mail Courier" }).waitFor();
  await go(tab, /^(Buy|Choose|Get) .*/);
  await press(tab, "Enter");
  await tab.waitForURL(/checkout/);
  await tab.getByLabel("E-mail").waitFor();
  await go(tab, /^E-mail/);
  await tab.keyboard.type("keys@example.com");
  await go(tab, /^Buy for/);
  await press(tab, "Enter");
  await tab.getByRole("heading", { name: "Thank you" }).waitFor();
  await go(tab, /^Copy/);
  await tab.end();
});
