// What the API refuses is said in the reader's language, by the code of the refusal: its message is English.
import assert from "node:assert/strict";
import { read } from "../../web/texts.js";
import { accessibleEverywhere, adminToken, browser, call, openTab, stoa, test, useStoa } from "./kit.js";

const languages = ["de", "ja"];
const buyer = { email: "leser@example.com", username: "leser", password: "correct horse battery" };
let token, order;

useStoa(null, async () => {
  token = await adminToken(stoa);
  const product = "/api/v1/admin/products/checkout-fields";
  assert.equal((await call(stoa, "PATCH", product, { token, body: { refundDays: 30 } })).status, 200);
  const { body } = await call(stoa, "POST", "/auth/register", { body: buyer });
  const purchase = { token: body.data.access_token, body: { tierId: "single", paymentMethod: "card" } };
  order = (await call(stoa, "POST", "/api/marketplace/products/checkout-fields/purchase", purchase)).body.orderId;
});

const openIn = async (language, path) => {
  const tab = await openTab(browser, stoa);
  await tab.context().addCookies([{ name: "stoa-language", value: language, url: stoa.url }]);
  await tab.goto(path);
  assert.equal(await tab.evaluate(() => document.documentElement.lang), language);
  return tab;
};

// answers has the next requests to a path answered with a refusal.
const answers = (tab, path, status, json, headers = {}) => tab.route(path, (route) =>
  (route.request().method() === "POST" ? route.fulfill({ status, json, headers: { "X-Request-Id": "req-1", ...headers } }) : route.continue()));

const fillIn = async (tab, { email, password }) => {
  await tab.locator("input[name=email]").fill(email);
  await tab.locator("input[name=password]").fill(password);
  await tab.locator("main form .primary").first().click();
};

// said waits for an alert and returns it without what is beside its first sentence.
const said = async (tab, text) => {
  await tab.getByRole("alert").filter({ hasText: text }).waitFor();
  return tab.getByRole("alert").innerText();
};

for (const language of languages) {
  const { errors, shop } = read(language);

  test(`${language}: a code that is used up when the buyer pays`, async () => {
    const code = `LAST-${language}`.toUpperCase();
    await call(stoa, "POST", "/api/v1/admin/discounts", { token, body: { code, percentOff: 50, maxUses: 1 } });
    const tab = await openIn(language, `/checkout/harbor-analytics/growth?code=${code}`);
    await tab.getByText(shop.discount.applied.replace("{code}", code)).waitFor();
    const body = { tierId: "growth", paymentMethod: "card", discountCode: code, billingInfo: { email: "first@example.com" } };
    assert.equal((await call(stoa, "POST", "/api/marketplace/products/harbor-analytics/purchase", { body })).status, 200);
    await tab.locator("input[name=email]").fill("second@example.com");
    await tab.locator("main form .primary").click();
    const text = await said(tab, shop.discount.refused.used_up);
    assert.doesNotMatch(text, /code is|used as often/);
    await accessibleEverywhere(tab, "a code that is used up");
    await tab.end();
  });

  test(`${language}: a refund that is refused`, async () => {
    const tab = await openIn(language, `/sign-in?next=/orders/${order}`);
    await fillIn(tab, buyer);
    await answers(tab, "**/refund", 409, { error: "REFUND_REFUSED", message: "The time is over.", details: { reason: "too_late" } });
    await tab.getByRole("button", { name: shop.subscription.back, exact: true }).first().click();
    await tab.getByRole("dialog").getByRole("button").last().click();
    assert.doesNotMatch(await said(tab, errors.reasons.REFUND_REFUSED.too_late), /time is over/);
    await tab.end();
  });

  test(`${language}: a wrong password, a rate limit, a code that nobody knows, and words that cannot be loaded`, async () => {
    const tab = await openIn(language, "/sign-in");
    await fillIn(tab, { ...buyer, password: "wrong horse battery" });
    await said(tab, shop.signIn.failed);

    await answers(tab, "**/auth/login", 429, { success: false, error: { code: "RATE_LIMIT_EXCEEDED", message: "Too many requests.", retryAfter: 42 } });
    await fillIn(tab, buyer);
    const wait = new Intl.NumberFormat(language, { style: "unit", unit: "second", unitDisplay: "long" }).format(42);
    assert.doesNotMatch(await said(tab, errors.page.RATE_LIMIT_EXCEEDED.replace("{time}", wait)), /Too many/);

    await tab.unroute("**/auth/login");
    await answers(tab, "**/auth/login", 409, { success: false, error: { code: "OF_TOMORROW", message: "This is new." } });
    await fillIn(tab, buyer);
    assert.match(await said(tab, errors.page.general), /This is new\./);
    await tab.end();

    const again = await openIn(language, "/sign-in");
    await again.route(/Explained/, (route) => route.abort());
    await answers(again, "**/auth/login", 409, { success: false, error: { code: "OF_TOMORROW", message: "This is new." } });
    await fillIn(again, buyer);
    await said(again, "This is new.");
    await again.end();
  });

  test(`${language}: the pages behind mailed links`, async () => {
    const claim = await openIn(language, "/claim-orders");
    await claim.locator("#email").fill(buyer.email);
    await claim.locator("#password").fill("wrong horse battery");
    await claim.locator("#send").click();
    await claim.getByText(errors.page.LOGIN_FAILED).waitFor();
    await claim.end();

    const register = await openIn(language, "/register");
    await register.locator("#email").fill("nobody");
    await register.locator("#username").fill("x");
    await register.locator("#password").fill("short");
    await register.locator("form button:not([type])").click();
    for (const text of Object.values(errors.fields)) await register.getByText(text).waitFor();
    await accessibleEverywhere(register, "an account that cannot be made");
    await register.end();
  });

  test(`${language}: the console, before and after the sign-in`, async () => {
    const tab = await openIn(language, "/console");
    await answers(tab, "**/auth/login", 429, { success: false, error: { code: "RATE_LIMIT_EXCEEDED", message: "Too many requests.", retryAfter: 90 } });
    const enter = async () => {
      await tab.locator("input[name=email]").fill(stoa.admin.email);
      await tab.locator("input[name=password]").fill(stoa.admin.password);
      await tab.locator("button[type=submit]").click();
    };
    await enter();
    const wait = new Intl.NumberFormat(language, { style: "unit", unit: "minute", unitDisplay: "long" }).format(2);
    await said(tab, errors.page.RATE_LIMIT_EXCEEDED.replace("{time}", wait));
    await tab.unroute("**/auth/login");
    await enter();
    await tab.locator(".shell").waitFor();
    await tab.goto("/console/shop/discounts/new");
    await tab.locator("main input").first().fill("ab");
    await tab.locator("main form button[type=submit]").click();
    await tab.getByText(errors.issues.out_of_range).or(tab.getByText(errors.issues.invalid)).first().waitFor();
    await tab.route("**/api/v1/admin/discounts*", (route) => route.fulfill({ status: 503, json: { success: false, error: { code: "STORAGE_FULL", message: "No room." } } }));
    await tab.locator("main input").first().fill("abcd");
    await tab.locator("main form button[type=submit]").click();
    assert.doesNotMatch(await said(tab, errors.shop.STORAGE_FULL), /No room/);
    await tab.end();
  });
}
