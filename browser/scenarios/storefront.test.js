// The storefront as buyers use it: find, compare, buy, activate, free a seat; with the
// clicks and screens that each job may take.
import assert from "node:assert/strict";
import {
  browser, call, fine, focused, journey, mounted, openTab, patience, seen, settled, signInToShop,
  startStoa, stoa, sweep, test, useStoa,
} from "./kit.js";

useStoa();

const account = { email: "buyer@example.com", username: "buyer", password: "correct horse battery" };

// The buyer's account is there for scenarios that run without the one in which it is made.
const haveAccount = async () => {
  const { status, body } = await call(stoa, "POST", "/auth/register", { body: account });
  assert.ok(status < 300 || body.error.code === "REGISTRATION_FAILED", JSON.stringify(body)); // it is there already
};

const activate = (licenseKey, instanceId) =>
  call(stoa, "POST", "/api/marketplace/products/harbor-analytics/activate", { body: { licenseKey, instanceId } });

seen("a guest finds, compares, buys and gets the key", async ({ scheme, width }, t) => {
  const tab = await openTab(browser, stoa, { scheme, width, height: 800 });
  await tab.goto("/");
  const way = journey(tab);
  await fine(tab);
  await way.click(tab.getByRole("link", { name: "Mail Courier" }));
  await tab.getByRole("heading", { name: "Compare the plans" }).waitFor();
  await fine(tab);
  await way.click(tab.getByRole("link", { name: "Buy Pro", exact: true }));
  await tab.getByRole("heading", { name: "Checkout" }).waitFor();
  await fine(tab);
  const bought = [];
  tab.on("request", (request) => { if (request.url().endsWith("/purchase")) bought.push(request.headers()["idempotency-key"]); });
  await tab.getByRole("button", { name: "Buy for €29 (test)" }).click();
  await tab.getByText("Enter an e-mail address").waitFor();
  await focused(tab.locator("[name=email]")); // on the fault
  await fine(tab);
  await tab.getByLabel("E-mail").fill("guest@example.com");
  await tab.getByRole("button", { name: "Buy for €29 (test)" }).dblclick();
  await tab.getByRole("heading", { name: "Thank you" }).waitFor();
  const key = await tab.locator(".key code").textContent();
  assert.match(key, /^STOA-/);
  assert.equal(bought.length, 1, "a double click bought twice");
  assert.match(bought[0], /^"\d+(-\d+){3}"$/);
  await fine(tab);
  assert.ok(way.screens() <= 4, `${way.screens()} screens`);
  t.diagnostic(`${way.screens()} screens, ${way.clicks() + 1} clicks, 1 form`);
  await tab.reload(); // the tab keeps it
  assert.equal(await tab.locator(".key code").textContent(), key);
  await tab.goto("/orders"); // where the payment page's way back leads
  await tab.getByRole("link", { name: "Mail Courier" }).click();
  assert.equal(await tab.locator(".key code").textContent(), key);
  assert.equal(await tab.evaluate((text) => JSON.stringify(localStorage).includes(text), key), false);
  await tab.end();
});

// linkIn waits for the address that is mailed to somebody, and returns it. With --mail log the
// mail is in the log.
const linkIn = async (running, to, path) => {
  for (const end = Date.now() + 120_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 50))) {
    const lines = running.log().split("\n").filter((line) => line.includes(to));
    const found = lines.join("\n").match(new RegExp(`https?://[^\\s"\\\\]*${path}#[A-Z2-7]{26}`));
    if (found) return new URL(found[0]);
  }
  throw new Error(`no mail with ${path} to ${to}`);
};

test("a guest has an account with the order after one link and one form", async (t) => {
  const own = await startStoa({ args: ["--mail", "log"] });
  t.after(own.stop);
  for (const [width, scheme, email, hasAccount] of [[360, "light", "one@example.com", false], [1440, "dark", "two@example.com", true]]) {
    const bought = await call(own, "POST", "/api/marketplace/products/harbor-analytics/purchase",
      { body: { tierId: "growth", paymentMethod: "card", billingInfo: { email } } });
    assert.equal(bought.status, 200);
    if (hasAccount) await call(own, "POST", "/auth/register", { body: { email, username: "two", password: account.password } });
    const link = await linkIn(own, email, "/claim-orders");
    const tab = await openTab(browser, own, { width, height: 800, scheme });
    await tab.goto(link.pathname + link.hash);
    const way = journey(tab);
    await tab.getByRole("heading", { name: hasAccount ? "Add the order to your account" : "Create your account" }).waitFor();
    assert.equal(new URL(tab.url()).hash, "", "the token is in the address bar");
    assert.equal(await tab.getByLabel("Your e-mail address").inputValue(), email);
    await fine(tab);
    await tab.getByLabel(hasAccount ? "The password of your account" : "Choose a password").fill(account.password);
    await way.click(tab.getByRole("button", { name: "see licenses" }));
    await tab.getByRole("heading", { name: "My licenses" }).waitFor();
    await tab.getByText("Harbor Analytics").first().waitFor();
    await fine(tab);
    assert.deepEqual([way.screens(), way.clicks()], [2, 1], "screens and clicks after the mail");
    t.diagnostic(`${hasAccount ? "with" : "without"} an account: 1 mail link, 1 form, ${way.clicks()} click, ${way.screens()} screens`);
    await tab.reload(); // the session stays
    await tab.getByText("Harbor Analytics").first().waitFor();
    await tab.goto("/"); // the link works once
    await tab.goto(link.pathname + link.hash);
    await tab.getByRole("heading", { name: "Claim your orders" }).waitFor();
    await tab.end();
  }
});

test("a buyer frees a seat in two clicks from My licenses, and takes it back", async (t) => {
  const tab = await openTab(browser, stoa);
  await tab.goto("/checkout/harbor-analytics/growth");
  await tab.getByRole("main").getByRole("link", { name: "Sign in", exact: true }).click();
  await tab.getByRole("button", { name: "Create an account" }).click();
  await tab.getByLabel("E-mail").fill(account.email);
  await tab.getByLabel("Username").fill(account.username);
  await tab.getByRole("textbox", { name: "Password" }).fill(account.password);
  await fine(tab);
  await tab.getByRole("button", { name: "Create an account" }).click();
  await tab.getByText(`You buy as ${account.email}.`).waitFor();
  await tab.getByRole("button", { name: "Buy for €19.90 (test)" }).click();
  await tab.getByRole("link", { name: "Open the license" }).waitFor();
  await fine(tab);
  const key = await tab.locator(".key code").textContent();
  for (const name of ["one.example.com", "two.example.org", "three.example.net"]) assert.equal((await activate(key, name)).status, 200);
  assert.notEqual((await activate(key, "four.example.com")).status, 200);

  await tab.goto("/licenses");
  await tab.getByText("All seats are used.").waitFor();
  await fine(tab);
  const way = journey(tab);
  await way.click(tab.getByRole("link", { name: "Seats and lease: Harbor Analytics" }));
  await way.click(tab.getByRole("button", { name: "Free this seat: two.example.org" }));
  await tab.getByText("The seat of two.example.org is free.").waitFor();
  t.diagnostic(`${way.clicks()} clicks`);
  assert.equal(way.clicks(), 2);
  await tab.getByText("2 of 3 seats used").waitFor();
  await fine(tab);
  await tab.getByRole("button", { name: "Activate again" }).click();
  await tab.getByText("3 of 3 seats used").waitFor();
  const [file] = await Promise.all([tab.waitForEvent("download"), tab.getByRole("button", { name: "Download lease: one.example.com" }).click()]);
  assert.equal(file.suggestedFilename(), "harbor-analytics-one.example.com.lease");

  await tab.getByRole("link", { name: "My orders" }).click();
  await tab.getByText("€19.90").waitFor();
  await fine(tab);
  await tab.getByRole("link", { name: "Account", exact: true }).click();
  await tab.getByRole("link", { name: "Devices and activity" }).click();
  await tab.getByText("This device").waitFor();
  await fine(tab);
  await tab.getByRole("button", { name: "Sign out" }).last().click();
  await tab.getByRole("heading", { name: "Sign in" }).waitFor();
  await tab.end();
});

test("the shop is read without JavaScript", async () => {
  const context = await browser.newContext({ javaScriptEnabled: false, baseURL: stoa.url });
  context.setDefaultTimeout(patience);
  const page = await context.newPage();
  await page.goto("/");
  await page.getByLabel("Search the shop").fill("reviews");
  await page.getByRole("button", { name: "Search" }).click();
  await page.getByText("product for “reviews”").waitFor();
  await page.goto("/");
  await page.getByLabel("Sort by").selectOption("name");
  await page.getByRole("button", { name: "Sort" }).click();
  assert.match(page.url(), /sort=name/);
  assert.match(await page.locator(".card h2").first().textContent(), /Bright Reviews/);
  await page.getByRole("link", { name: "Harbor Analytics" }).click();
  await page.getByText("Does it slow the shop down?").click();
  await page.getByText("Reports are worked out at night").waitFor();
  await page.getByRole("link", { name: "Buy Growth", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Checkout" }).waitFor();
  const order = page.getByRole("complementary", { name: "Your order" });
  for (const text of ["Harbor Analytics", "Growth", "€19.90"]) await order.getByText(text, { exact: true }).waitFor();
  await context.close();
});

sweep("blocks of plugins are shown contained, and broken ones left out", async () => {
  const tab = await openTab(browser, stoa);
  const items = [
    { pluginSlug: "p", extensionId: "page", name: "A page", dataUrl: "/plugin/page" },
    { pluginSlug: "p", extensionId: "data", name: "Some data", dataUrl: "/plugin/data" },
    { pluginSlug: "p", extensionId: "broken", name: "Broken", dataUrl: "/plugin/broken" },
    { pluginSlug: "p", extensionId: "lies", name: "Lies", dataUrl: "/plugin/lies" },
  ];
  await tab.route("**/theme-extensions/blocks**", (route) => route.fulfill({ json: { success: true, data: { items } } }));
  await tab.route("**/plugin/page", (route) => route.fulfill({ contentType: "text/html", body: "<p>Hello" }));
  await tab.route("**/plugin/data", (route) => route.fulfill({ json: { stars: "<b>five</b>", hidden: { a: 1 } } }));
  await tab.route("**/plugin/broken", (route) => route.fulfill({ status: 502, body: "" }));
  await tab.route("**/plugin/lies", (route) => route.fulfill({ contentType: "application/json", body: "{" }));
  // A page gives a plugin five seconds; this one waits.
  await tab.addInitScript(() => { AbortSignal.timeout = () => new AbortController().signal; });
  await tab.goto("/p/harbor-analytics");
  await tab.getByRole("heading", { name: "Some data" }).waitFor();
  await tab.getByText("<b>five</b>").waitFor();
  assert.equal(await tab.locator("iframe[title='A page']").getAttribute("sandbox"), "allow-scripts allow-forms allow-popups");
  assert.deepEqual(await tab.locator("[data-app-block] h2").allTextContents(), ["A page", "Some data"]);
  await tab.end();
});

sweep("a review that was typed is published after the session ended; signing out forgets the keys", async () => {
  await haveAccount();
  const tab = await openTab(browser, stoa);
  const signIn = async (place) => {
    await place.getByLabel("E-mail").fill(account.email);
    await place.getByRole("textbox", { name: "Password" }).fill(account.password);
    await place.locator("form button.primary").first().click();
  };
  await tab.goto("/sign-in?next=/checkout/harbor-analytics/growth");
  await signIn(tab);
  await tab.getByRole("button", { name: /^Buy for/ }).click();
  await tab.getByRole("link", { name: "Open the license" }).click();
  await tab.getByLabel("What should others know?").fill("Typed before the session ended.");
  const { body } = await call(stoa, "POST", "/auth/login", { body: { email: account.email, password: account.password } });
  const token = body.data.access_token;
  const sessions = (await call(stoa, "GET", "/auth/sessions", { token })).body.data.items;
  for (const one of sessions.filter((s) => !s.current)) await call(stoa, "DELETE", `/auth/sessions/${one.id}`, { token });
  const stars = tab.getByLabel("Stars").or(tab.getByLabel("Rating")).first();
  assert.equal(await stars.inputValue(), "", "stars were given that nobody chose");
  await stars.selectOption("4");
  await tab.getByRole("button", { name: "Publish review" }).click();
  await tab.getByText("Your session has ended.").waitFor();
  await fine(tab);
  await signIn(tab);
  await tab.getByText("Your review is published").waitFor();
  assert.equal(await tab.getByLabel("What should others know?").inputValue(), "Typed before the session ended.");
  await tab.goto("/account");
  assert.ok(await tab.evaluate(() => JSON.stringify({ ...sessionStorage }).includes("STOA-")), "the tab keeps a key until then");
  await tab.getByRole("button", { name: "Sign out" }).last().click();
  await tab.getByRole("heading", { name: "Sign in" }).waitFor();
  assert.equal(await tab.evaluate(() => JSON.stringify({ ...sessionStorage }).includes("STOA-")), false);
  await tab.end();
});

sweep("all other devices are signed out in two clicks from the account", async () => {
  const person = { email: "many@example.com", username: "many", password: "correct horse battery" };
  const other = (await call(stoa, "POST", "/auth/register", { body: person })).body.data.access_token;
  const tab = await openTab(browser, stoa);
  await signInToShop(tab, person, "/account");
  const way = journey(tab);
  await way.click(tab.getByRole("link", { name: "Devices and activity" }));
  await way.click(tab.getByRole("button", { name: "Sign out everywhere else" }));
  assert.equal(way.clicks(), 2);
  await tab.getByText("All other devices are signed out.").waitFor();
  assert.equal((await call(stoa, "GET", "/auth/me", { token: other })).status, 401);
  await tab.getByRole("button", { name: "Sign out everywhere else" }).waitFor({ state: "detached" });
  await fine(tab);
  await tab.end();
});

sweep("links to the parts of the one page that the account was lead to their screens", async () => {
  await haveAccount();
  const tab = await openTab(browser, stoa);
  await signInToShop(tab, account, "/account");
  for (const [link, path, heading] of [
    ["/account#password", "/account/sign-in", "Ways to sign in"], ["/account#passkeys", "/account/sign-in", "Ways to sign in"],
    ["/account#second-step", "/account/second-step", "Second step"], ["/account#sessions", "/account/devices", "Devices and activity"],
    ["/account", "/account", "Profile"], ["/account#claim", "/account", "Profile"],
  ]) {
    await tab.goto("/orders");
    await tab.goto(link);
    await tab.getByRole("heading", { name: heading, exact: true, level: 1 }).waitFor();
    assert.equal(new URL(tab.url()).pathname, path);
    const nav = tab.getByRole("navigation", { name: "Account", exact: true });
    assert.deepEqual(await nav.locator("[aria-current=page]").allInnerTexts(), [heading]);
    assert.match(await tab.title(), new RegExp(`^${heading} · `));
  }
  await tab.end();
});

sweep("signing in returns to pages of this shop only", async () => {
  await haveAccount();
  const tab = await openTab(browser, stoa);
  const others = [
    "/.//elsewhere.example/", "//elsewhere.example/", "/\\elsewhere.example/", "/x/..//elsewhere.example",
    "https://elsewhere.example/", "javascript:alert(1)",
  ];
  for (const next of others) {
    await signInToShop(tab, account, encodeURIComponent(next));
    assert.equal(new URL(tab.url()).origin, stoa.url, next);
    await mounted(tab);
    await settled(tab);
    await tab.evaluate(() => localStorage.clear());
    await tab.context().clearCookies();
  }
  await tab.end();
});

sweep("a guest who comes back from the payment page sees that the order is paid", async () => {
  const tab = await openTab(browser, stoa);
  const paymentUrl = `${stoa.url}/payment/success`; // in place of the provider's page
  const asked = [];
  let paid = false;
  await tab.route("**/purchase", async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, json: { ...(await answer.json()), paymentUrl } });
  });
  await tab.route("**/lookup", async (route) => {
    asked.push(route.request().postDataJSON().licenseKey);
    const answer = await route.fetch();
    const order = await answer.json();
    await route.fulfill({ response: answer, json: paid ? order : { ...order, status: "pending", paymentUrl } });
  });
  await tab.goto("/checkout/mail-courier/pro");
  await tab.getByLabel("E-mail").fill("guest@example.com");
  await tab.getByRole("button", { name: "Buy for €29 (test)" }).click();
  await tab.getByRole("link", { name: "See your orders" }).click();
  await tab.getByRole("link", { name: "Mail Courier" }).click();
  await tab.getByRole("link", { name: "Go to the payment page" }).waitFor();
  paid = true;
  await tab.getByRole("heading", { name: "Thank you" }).waitFor();
  assert.equal(asked.at(-1), await tab.locator(".key code").textContent());
  await tab.end();
});
