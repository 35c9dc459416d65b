// What people print: the order as a receipt, and the license. Nothing to click stands on
// paper, and a dark theme prints dark on white.
import assert from "node:assert/strict";
import { join } from "node:path";
import { adminToken, call, openConsole, settled, stoa, test, useStoa } from "./kit.js";

useStoa();

// printed looks at the page as paper shows it. STOA_PICTURES names a folder for pictures.
const printed = async (tab, name) => {
  await settled(tab);
  await tab.emulateMedia({ media: "print" });
  const folder = process.env.STOA_PICTURES;
  if (folder) await tab.screenshot({ path: join(folder, `print-${name}.png`), fullPage: true });
  const seen = await tab.evaluate(() => {
    const shown = (el) => el.checkVisibility() && el.getBoundingClientRect().width > 1;
    const clickable = [...document.querySelectorAll("button, input, select, .button, nav a, [role=navigation] a")];
    const ground = getComputedStyle(document.body);
    return {
      clickable: clickable.filter(shown).map((el) => el.outerHTML.slice(0, 120)),
      ink: ground.color, paper: ground.backgroundColor,
    };
  });
  await tab.emulateMedia({ media: "screen" });
  assert.deepEqual(seen.clickable, [], name);
  assert.equal(seen.ink, "rgb(0, 0, 0)", name);
  assert.equal(seen.paper, "rgb(255, 255, 255)", name);
};

test("orders and licenses are printed as receipts", async () => {
  const token = await adminToken(stoa);
  const body = { tierId: "pro", paymentMethod: "card", billingInfo: { email: "paper@example.com" } };
  const sold = (await call(stoa, "POST", "/api/marketplace/products/mail-courier/purchase", { token, body })).body;
  const order = (await call(stoa, "GET", `/api/v1/admin/orders/${sold.orderId}`, { token })).body.data;
  const tab = await openConsole("/console", { scheme: "dark", width: 800 });
  for (const [name, path, says] of [
    ["order", `/orders/${sold.orderId}`, sold.licenseKey],
    ["license", `/licenses/${order.licenseId}`, sold.licenseKey],
    ["console-order", `/console/shop/orders/${sold.orderId}`, sold.orderId],
    ["console-license", `/console/shop/licenses/${order.licenseId}`, order.licenseId],
  ]) {
    await tab.goto(path);
    await tab.locator("main").getByText(says).first().waitFor();
    if (name === "order") assert.ok(!await tab.getByText("not an invoice").isVisible(), "it stands on the screen");
    await printed(tab, name);
    if (name !== "order") continue;
    await tab.emulateMedia({ media: "print" });
    assert.ok(await tab.getByText("This is a receipt, not an invoice.").isVisible());
    await tab.emulateMedia({ media: "screen" });
  }
  await tab.end();
});
