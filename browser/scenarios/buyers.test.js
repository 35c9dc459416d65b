// Small things that buyers rely on: long reviews are folded, signing in returns to where
// they were, and no seat is offered to be freed where there is none.
import assert from "node:assert/strict";
import {
  accessible, browser, call, focused, journey, mounted, openTab, settled, signInToShop, stoa, sweep, test, useStoa,
} from "./kit.js";

const account = { email: "reader@example.com", username: "reader", password: "correct horse battery" };
const product = "/api/marketplace/products/harbor-analytics";
let order;

useStoa(null, async () => {
  const { body } = await call(stoa, "POST", "/auth/register", { body: account });
  const token = body.data.access_token;
  const bought = await call(stoa, "POST", `${product}/purchase`, { token, body: { tierId: "growth", paymentMethod: "card", billingInfo: { email: account.email } } });
  assert.ok(bought.status < 300, JSON.stringify(bought.body));
  order = bought.body;
  const text = Array.from({ length: 12 }, (_, n) => `Line ${n + 1} of a review that says a lot.`).join("\n");
  const review = await call(stoa, "POST", `${product}/reviews`, { token, body: { rating: 4, title: "Long", text } });
  assert.ok(review.status < 300, JSON.stringify(review.body));
});

sweep("a long review is folded, and opens by keyboard", async () => {
  const tab = await openTab(browser, stoa);
  await tab.goto("/p/harbor-analytics");
  const review = tab.locator("article, li", { hasText: "Line 1 of a review" }).last();
  const last = review.getByText("Line 12 of a review");
  const hidden = () => last.evaluate((el) => {
    for (let box = el; box; box = box.parentElement) {
      if (box.scrollHeight > box.clientHeight + 1 && getComputedStyle(box).overflowY === "hidden") return true;
    }
    return false;
  });
  assert.equal(await hidden(), true, "the whole review shows at once");
  const more = review.locator("summary");
  assert.equal((await more.innerText()).trim(), "Show the whole review");
  await more.focus();
  await tab.keyboard.press("Enter");
  assert.equal(await hidden(), false, "the review stays folded");
  assert.equal((await more.innerText()).trim(), "Show less");
  await settled(tab);
  await accessible(tab, "a product with an open review");
  await tab.keyboard.press("Enter");
  assert.equal(await hidden(), true);
  await tab.end();
});

test("an address that has an account leads from the sign-up to signing in, and a checkout names what it has", async () => {
  const tab = await openTab(browser, stoa);
  await tab.goto("/sign-in");
  await mounted(tab);
  await tab.getByRole("button", { name: "Create an account" }).click();
  await tab.getByLabel("E-mail").fill(account.email);
  await tab.getByLabel("Username").fill("another");
  await tab.getByRole("textbox", { name: "Password" }).fill(account.password);
  await tab.getByRole("button", { name: "Create an account" }).click();
  const told = tab.getByRole("alert");
  await told.getByText("already taken").waitFor();
  assert.equal(await told.getByRole("link", { name: "Set a new password" }).getAttribute("href"), "/reset-password");
  await accessible(tab, "a sign-up with a taken address");
  await told.getByRole("button", { name: `Sign in as ${account.email}` }).click();
  assert.equal(await tab.getByLabel("E-mail").inputValue(), account.email);
  await tab.getByRole("textbox", { name: "Password" }).fill(account.password);
  await tab.locator("form button.primary").first().click();
  await tab.waitForURL(`${stoa.url}/licenses`);
  await tab.getByRole("listitem").filter({ hasText: "· Growth" }).waitFor();
  await tab.goto("/checkout/harbor-analytics/growth");
  await tab.getByText("You have Harbor Analytics already: Growth.").waitFor();
  await accessible(tab, "a checkout of a product that the buyer has");
  await tab.end();
});

test("the header's sign-in link returns to the page it was on, with its query", async () => {
  const tab = await openTab(browser, stoa);
  await tab.goto("/p/harbor-analytics?reviews=1");
  const link = tab.getByRole("navigation").getByRole("link", { name: "Sign in", exact: true });
  await link.click();
  await tab.waitForURL(/sign-in/);
  assert.equal(new URL(tab.url()).searchParams.get("next"), "/p/harbor-analytics?reviews=1");
  await mounted(tab);
  await tab.getByLabel("E-mail").fill(account.email);
  await tab.getByRole("textbox", { name: "Password" }).fill(account.password);
  await tab.locator("form button.primary").first().click();
  await tab.waitForURL(`${stoa.url}/p/harbor-analytics?reviews=1`);
  await tab.end();
});

sweep("an instance under development takes no seat, so none is offered to be freed", async () => {
  for (const instanceId of ["shop.example.com", "shop.localhost"]) {
    const done = await call(stoa, "POST", `${product}/activate`, { body: { licenseKey: order.licenseKey, instanceId } });
    assert.equal(done.status, 200, JSON.stringify(done.body));
  }
  const tab = await openTab(browser, stoa);
  await tab.goto("/sign-in?next=/licenses");
  await tab.getByLabel("E-mail").fill(account.email);
  await tab.getByRole("textbox", { name: "Password" }).fill(account.password);
  await tab.locator("form button.primary").first().click();
  await tab.getByRole("link", { name: "Seats and lease: Harbor Analytics" }).click();
  await tab.getByRole("button", { name: "Free this seat: shop.example.com" }).waitFor();
  await tab.getByText("shop.localhost", { exact: true }).waitFor();
  assert.equal(await tab.getByRole("button", { name: /^Free this seat/ }).count(), 1);
  await tab.end();
});

sweep("a subscription is ended from its order, and the license says until when it works", async (t) => {
  const { body } = await call(stoa, "POST", "/auth/login", { body: { email: account.email, password: account.password } });
  const token = body.data.access_token;
  const { body: one } = await call(stoa, "GET", `/api/marketplace/orders/${order.orderId}`, { token });
  const date = new Intl.DateTimeFormat("en", { dateStyle: "medium" }).format(new Date(one.expiresAt));
  const tab = await openTab(browser, stoa);
  await signInToShop(tab, account, `/licenses/${one.licenseId}`);
  await tab.getByText(`Paid until ${date}`).waitFor();
  await tab.getByText("Growth", { exact: true }).waitFor();
  await tab.goto(`/orders/${order.orderId}`);
  await tab.getByText("Growth", { exact: true }).waitFor();
  await tab.getByText("each month").waitFor();
  await tab.getByText(`It ends on ${date}: with test payments nothing renews by itself.`).waitFor();

  const way = journey(tab);
  const open = tab.getByRole("button", { name: "End subscription" });
  const dialog = tab.getByRole("dialog", { name: "End this subscription?" });
  await open.click();
  await dialog.getByText(`works until ${date}`).waitFor();
  await dialog.getByText("Nothing more is charged.").waitFor();
  await accessible(tab, "the dialog that ends a subscription");
  await tab.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  await focused(open);
  await way.click(open);
  await way.click(dialog.getByRole("button", { name: "End subscription" }));
  await tab.getByText(`The subscription ends on ${date}.`).waitFor();
  await tab.getByText(`It ends on ${date}. Nothing more is charged`).waitFor();
  assert.equal(await open.count(), 0);
  await focused(tab.getByText("Subscription", { exact: true }));
  t.diagnostic(`${way.clicks()} clicks to end a subscription`);
  await settled(tab);
  await accessible(tab, "an order whose subscription ends");

  await tab.goto(`/licenses/${one.licenseId}`);
  await tab.getByText(`It ends on ${date}. Nothing more is charged`).waitFor();
  assert.equal(await open.count(), 0);
  await tab.goto("/licenses");
  await tab.getByText(`Ends ${date}`).first().waitFor();
  await tab.end();
});

sweep("a guest's order of a subscription leads to the claim", async () => {
  const tab = await openTab(browser, stoa);
  await tab.goto("/checkout/harbor-analytics/growth");
  await tab.getByLabel("E-mail").fill("guest@example.com");
  await tab.getByRole("button", { name: /^Buy for/ }).click();
  await tab.getByRole("heading", { name: "Thank you" }).waitFor();
  await tab.getByText("claim this order with an account first").waitFor();
  assert.equal(await tab.getByRole("button", { name: "End subscription" }).count(), 0);
  await tab.getByRole("main").getByRole("link", { name: "Claim your orders" }).click();
  await tab.waitForURL(`${stoa.url}/claim-orders`);
  await tab.end();
});

sweep("a password that attackers try first is told under Account until another is chosen", async () => {
  const easy = { email: "easy@example.com", username: "easy", password: "Password123" };
  const made = await call(stoa, "POST", "/auth/register", { body: easy });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const tab = await openTab(browser, stoa);
  await signInToShop(tab, easy, "/account/sign-in");
  const told = tab.getByText("Your password is on a list");
  await told.waitFor();
  await settled(tab);
  await accessible(tab, "an account with a breached password");
  await tab.getByLabel("Current password").fill(easy.password);
  await tab.getByRole("textbox", { name: "New password" }).fill("correct horse battery");
  await tab.getByRole("button", { name: "Change password" }).click();
  await tab.getByText("Your password is changed.").waitFor();
  await told.waitFor({ state: "detached" });
  await tab.end();
});
