// Managing a payment with test payments: on a page of the shop, which shows what is paid and ends the subscription.
import assert from "node:assert/strict";
import { accessibleEverywhere, browser, call, openTab, signInToShop, stoa, test, useStoa } from "./kit.js";

const payer = { email: "manager@example.com", username: "manager", password: "correct horse battery" };
let monthly, once;

useStoa(null, async () => {
  const { body } = await call(stoa, "POST", "/auth/register", { body: payer });
  const buy = async (slug, tierId) => {
    const bought = await call(stoa, "POST", `/api/marketplace/products/${slug}/purchase`, {
      token: body.data.access_token, body: { tierId, paymentMethod: "card" },
    });
    assert.ok(bought.status < 300, JSON.stringify(bought.body));
    return bought.body.orderId;
  };
  monthly = await buy("harbor-analytics", "growth");
  once = await buy("checkout-fields", "single");
});

const manage = (tab) => tab.getByRole("button", { name: "Manage payment" });

test("a subscription is ended where its payment is managed, on a phone", async () => {
  const tab = await openTab(browser, stoa, { width: 390, height: 844 });
  await signInToShop(tab, payer, `/orders/${monthly}`);
  await manage(tab).waitFor();
  await accessibleEverywhere(tab, "an order whose payment can be managed");
  await manage(tab).click();
  await tab.waitForURL(`${stoa.url}/payment/portal/${monthly}`);
  await tab.getByRole("heading", { name: "Manage payment" }).waitFor();
  await tab.getByText("no money moves").waitFor();
  await tab.getByText("each month").waitFor();
  assert.equal(await manage(tab).count(), 0, "the page leads to itself");
  await accessibleEverywhere(tab, "a test payment");

  await tab.getByRole("button", { name: "End subscription" }).click();
  await tab.getByRole("dialog").getByRole("button", { name: "End subscription" }).click();
  await tab.getByText(/^The subscription ends on/).waitFor();
  await accessibleEverywhere(tab, "a test payment whose subscription ends");
  await tab.getByRole("link", { name: "Back to the order" }).click();
  await tab.waitForURL(`${stoa.url}/orders/${monthly}`);
  await tab.getByText("Nothing more is charged, and").waitFor();
  await manage(tab).waitFor(); // there are still invoices to look at
  await tab.goto("/licenses");
  await tab.getByText(/^Ends /).first().waitFor();
  await tab.end();
});

test("what was paid once is managed too, and nobody else's", async () => {
  const tab = await openTab(browser, stoa);
  await signInToShop(tab, payer, `/orders/${once}`);
  await tab.getByRole("heading", { name: "Payment", exact: true }).waitFor();
  await accessibleEverywhere(tab, "an order that was paid once");
  await manage(tab).click();
  await tab.waitForURL(`${stoa.url}/payment/portal/${once}`);
  await tab.getByText("no money moves").waitFor();
  assert.equal(await tab.getByRole("button", { name: "End subscription" }).count(), 0);
  await tab.goto("/payment/portal/nothing");
  await tab.getByRole("heading", { name: "This order is not shown here" }).waitFor();
  await accessibleEverywhere(tab, "a payment of somebody else");
  await tab.end();
});

test("the page asks whoever is not signed in to sign in", async () => {
  const tab = await openTab(browser, stoa);
  await tab.goto(`/payment/portal/${monthly}`);
  await tab.getByRole("heading", { name: "Sign in" }).waitFor();
  await tab.end();
});
