// Live payments as buyers see them: to the payment provider's page and back, with a
// stand-in for Stripe that opens payment pages, and its signed webhooks.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import { join } from "node:path";
import { after } from "node:test";
import {
  accessibilityFaults, adminToken, browser, call, journey, openConsole, openTab, settled, stoa, sweep, test, useStoa,
} from "./kit.js";

const secret = "whsec_test_secret";
const opened = []; // what stoa asked for with each payment page
const keys = new Map(); // the index of each in opened, by its Idempotency-Key

// answer opens a payment page, whose two links lead back to the shop, or shows one.
const answer = (request, response) => {
  const page = /^\/pay\/(\d+)$/.exec(request.url);
  if (page) {
    const asked = opened[Number(page[1])];
    response.setHeader("Content-Type", "text/html");
    return response.end(`<!doctype html><title>Stripe</title><a id="pay">Pay</a><a id="back">Back</a>`
      .replace('id="pay"', `href="${asked.get("success_url")}"`).replace('id="back"', `href="${asked.get("cancel_url")}"`));
  }
  if (request.url.startsWith("/v1/billing_portal/")) return portal(request, response);
  if (request.url === "/manage") {
    response.setHeader("Content-Type", "text/html");
    return response.end(`<!doctype html><title>Stripe</title><a href="${back}">Return</a>`);
  }
  if (request.method !== "POST") return response.writeHead(204).end(); // the page's icon
  let body = "";
  request.on("data", (part) => { body += part; });
  request.on("end", () => {
    // stoa repeats what was not answered in time, under the same key.
    const key = request.headers["idempotency-key"];
    if (!keys.has(key)) keys.set(key, opened.push(new URLSearchParams(body)) - 1);
    const n = keys.get(key);
    response.setHeader("Content-Type", "application/json");
    response.end(JSON.stringify({ id: `cs_test_${n}`, object: "checkout.session", url: `${stripe()}/pay/${n}` }));
  });
};

let back; // where the customer portal leads to

// portal has one configuration, and opens the portal of a customer.
const portal = (request, response) => {
  response.setHeader("Content-Type", "application/json");
  if (request.method !== "POST") {
    const data = [{ id: "bpc_1", object: "billing_portal.configuration", metadata: { stoaPortal: "1" } }];
    return response.end(JSON.stringify({ object: "list", url: request.url, data }));
  }
  let body = "";
  request.on("data", (part) => { body += part; });
  request.on("end", () => {
    const asked = new URLSearchParams(body);
    assert.equal(asked.get("customer"), "cus_1");
    back = asked.get("return_url");
    response.end(JSON.stringify({ id: "bps_1", object: "billing_portal.session", url: `${stripe()}/manage` }));
  });
};

const server = createServer(answer);
const stripe = () => `http://127.0.0.1:${server.address().port}`;

useStoa(async () => {
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    args: ["--payments", "live", "--stripe-api-base", stripe()],
    env: { STOA_STRIPE_SECRET_KEY: "sk_test_123", STOA_STRIPE_WEBHOOK_SECRET: secret },
  };
});
after(() => server.close());

// confirm tells stoa that the buyer paid, as Stripe does.
const confirm = (n, minor, more = {}) => tell(n, "checkout.session.completed", {
  id: `cs_test_${n}`, payment_status: "paid", amount_total: minor, currency: "eur", payment_intent: `pi_${n}`, customer: "cus_1", ...more,
});

// tell sends a signed event about the order of the n-th page.
const tell = async (n, type, object) => {
  const metadata = { orderId: opened[n].get("client_reference_id") }, at = Math.floor(Date.now() / 1000);
  const event = JSON.stringify({
    id: `evt_${type}_${n}`, object: "event", type, created: at, api_version: "2026-03-25.dahlia", data: { object: { metadata, ...object } },
  });
  const v1 = createHmac("sha256", secret).update(`${at}.${event}`).digest("hex");
  const response = await fetch(`${stoa.url}/api/marketplace/payments/stripe/webhook`, {
    method: "POST", body: event, headers: { "Content-Type": "application/json", "Stripe-Signature": `t=${at},v1=${v1}` },
  });
  assert.equal(response.status, 200, await response.text());
};

const fine = async (tab) => {
  await settled(tab);
  assert.deepEqual(await accessibilityFaults(tab), [], tab.url());
};

const buy = (tab) => tab.getByRole("button", { name: "Pay €29" });

test("a guest pays on the provider's page and sees the order become paid", async (t) => {
  const tab = await openTab(browser, stoa, { also: [stripe()] });
  await tab.goto("/checkout/mail-courier/pro");
  const way = journey(tab);
  await tab.getByLabel("E-mail").fill("guest@example.com");
  await tab.getByLabel("Name").fill("Ada Guest");
  await tab.getByLabel("Company").fill("Analytical Engines");
  await buy(tab).click();
  await tab.waitForURL(`${stripe()}/pay/0`);

  // Who turns back finds everything as it was, and pays the same order.
  await tab.getByText("Back").click();
  await tab.getByText("nothing was charged").waitFor();
  assert.equal(new URL(tab.url()).pathname, "/checkout/mail-courier/pro");
  assert.equal(await tab.getByLabel("E-mail").inputValue(), "guest@example.com");
  assert.equal(await tab.getByLabel("Name").inputValue(), "Ada Guest");
  assert.equal(await tab.getByLabel("Company").inputValue(), "Analytical Engines");
  await fine(tab);
  await way.click(buy(tab));
  await tab.waitForURL(`${stripe()}/pay/0`);
  assert.equal(opened.length, 1, "a second order was placed");

  await way.click(tab.getByText("Pay"));
  await tab.getByRole("heading", { name: "Waiting for the payment" }).waitFor();
  assert.equal(new URL(tab.url()).pathname, `/orders/${opened[0].get("client_reference_id")}`);
  assert.equal(await tab.locator(".key").count(), 0, "the key is shown before the payment");
  await fine(tab);
  await confirm(0, 2900);
  await tab.getByRole("heading", { name: "Thank you" }).waitFor();
  assert.match(await tab.locator(".key code").textContent(), /^STOA-/);
  await fine(tab);
  t.diagnostic(`${way.clicks()} clicks from the checkout to the key, ${way.screens()} screens`);
  await tab.end();
});

sweep("a buyer with an account sees the order become paid, and one who changes the details orders again", async () => {
  const tab = await openTab(browser, stoa, { also: [stripe()] });
  await tab.goto("/sign-in?next=/checkout/mail-courier/pro");
  await tab.getByRole("button", { name: "Create an account" }).click();
  await tab.getByLabel("E-mail").fill("payer@example.com");
  await tab.getByLabel("Username").fill("payer");
  await tab.getByRole("textbox", { name: "Password" }).fill("correct horse battery");
  await tab.getByRole("button", { name: "Create an account" }).click();
  const first = opened.length;
  await buy(tab).click();
  await tab.waitForURL(`${stripe()}/pay/${first}`);
  await tab.getByText("Back").click();
  await tab.getByText("nothing was charged").waitFor();
  await tab.getByLabel("Company").fill("Another");
  await buy(tab).click();
  await tab.waitForURL(`${stripe()}/pay/${first + 1}`);
  await tab.getByText("Pay").click();
  await tab.getByRole("heading", { name: "Waiting for the payment" }).waitFor();
  await confirm(first + 1, 2900);
  await tab.getByRole("link", { name: "Open the license" }).waitFor();
  assert.match(await tab.locator(".key code").textContent(), /^STOA-/);
  const order = tab.url();
  await tab.getByRole("button", { name: "Manage payment" }).click();
  await tab.waitForURL(`${stripe()}/manage`);
  await tab.getByText("Return").click();
  await tab.getByRole("button", { name: "Manage payment" }).waitFor();
  assert.equal(tab.url(), order.split("?")[0]);
  await tab.end();
});

// billed is what the provider says of a payment with tax, on its page and in its invoice.
const automatic_tax = { enabled: true };
const taxed = { automatic_tax, invoice: "in_1", amount_subtotal: 2900, total_details: { amount_tax: 551 } };
const invoice = {
  id: "in_1", billing_reason: "manual", amount_paid: 3451, currency: "eur", automatic_tax, number: "A-0001",
  total_taxes: [{ amount: 551, tax_behavior: "exclusive" }],
  hosted_invoice_url: "https://invoice.stripe.com/i/1", invoice_pdf: "https://pay.stripe.com/invoice/1/pdf",
};

sweep("an order shows its tax and its invoice, on a phone, in the dark and on paper", async () => {
  const token = await adminToken(stoa), n = opened.length;
  const body = { tierId: "pro", paymentMethod: "card", billingInfo: { email: "taxed@example.com" } };
  const sold = (await call(stoa, "POST", "/api/marketplace/products/mail-courier/purchase", { token, body })).body;
  await tell(n, "invoice.paid", invoice);
  await confirm(n, 3451, taxed);
  const folder = process.env.STOA_PICTURES;
  for (const [scheme, width] of [["light", 1280], ["dark", 360]]) {
    const tab = await openConsole("/console", { scheme, width });
    for (const path of [`/orders/${sold.orderId}`, "/orders", `/console/shop/orders/${sold.orderId}`]) {
      await tab.goto(path);
      const link = tab.locator("main").getByRole("link", { name: "A-0001" });
      await link.first().waitFor();
      assert.equal(await link.first().getAttribute("href"), invoice.hosted_invoice_url, path);
      if (path !== "/orders") {
        for (const amount of ["€29", "€5.51", "€34.51"]) await tab.locator("main").getByText(amount).first().waitFor();
      }
      await fine(tab);
      if (folder) await tab.screenshot({ path: join(folder, `tax-${scheme}${path.replaceAll("/", "-")}.png`), fullPage: true });
    }
    await tab.goto(`/orders/${sold.orderId}`);
    await tab.getByRole("link", { name: "PDF" }).waitFor();
    await tab.emulateMedia({ media: "print" });
    assert.equal(await tab.getByText("not an invoice").count(), 0);
    if (folder) await tab.screenshot({ path: join(folder, `tax-${scheme}-print.png`), fullPage: true });
    await tab.end();
  }
});

sweep("a buyer of another shop's page is told that the payment is being confirmed", async () => {
  const tab = await openTab(browser, stoa);
  await tab.goto("/payment/success?order=tz4a98xxat96iws9zmbrgj3a");
  await tab.getByRole("heading", { name: "Thank you" }).waitFor();
  await tab.getByText("has given you the key").waitFor();
  await fine(tab);
  await tab.end();
});

sweep("terms are beside the button, in the footer too, and the rules of passwords before typing", async () => {
  const body = { termsUrl: "https://acme.example/terms", supportEmail: "help@acme.example" };
  assert.equal((await call(stoa, "PATCH", "/api/v1/admin/settings", { token: await adminToken(stoa), body })).status, 200);
  const tab = await openTab(browser, stoa);
  await tab.goto("/checkout/mail-courier/pro");
  await tab.getByText("By ordering you accept").waitFor();
  assert.equal(await tab.locator("form a[href='https://acme.example/terms']").count(), 1);
  assert.equal(await tab.locator("footer a[href='https://acme.example/terms']").count(), 1);
  assert.equal(await tab.locator("footer a[href='mailto:help@acme.example']").count(), 1);
  await fine(tab);
  await tab.goto("/sign-in");
  await tab.getByRole("button", { name: "Create an account" }).click();
  await tab.getByText(/^At least \d+ characters/).waitFor();
  await fine(tab);
  await tab.end();
});
