// An empty shop: from the setup link that stoa logs to a console and a storefront whose
// every page says what it is for.
import assert from "node:assert/strict";
import { accessible, browser, journey, openTab, settled, signInToConsole, stoa, test, useStoa, visit } from "./kit.js";

useStoa({ demo: false });

const admin = { email: "root@example.com", username: "root", password: "correct horse battery" };

// Pages of the console, each with what it says while there is nothing.
const empty = [
  ["/console", "Overview", /all|well|nothing/i],
  ["/console/plugins", "Plugins", /no plugins|install/i],
  ["/console/plugins/deliveries", "Plugins", /nothing|no deliveries|not sent/i],
  ["/console/themes", "Themes", /no theme|built-in|install/i],
  ["/console/shop", "Products", /no products/i],
  ["/console/shop/orders", "Orders", /no orders/i],
  ["/console/shop/licenses", "Licenses", /no licenses/i],
  ["/console/shop/reviews", "Reviews", /no reviews/i],
  ["/console/shop/media", "Media", /no pictures|no media|nothing/i],
  ["/console/people", "People", /root@example.com/],
  ["/console/events", "Events", /user\.create/],
  ["/console/events/webhooks", "Events", /no webhooks/i],
  ["/console/settings", "Settings", /name of the shop/i],
];

test("an empty shop is set up on one guided page and explains itself on every other", async (t) => {
  const tab = await openTab(browser, stoa);
  await tab.goto("/");
  await settled(tab);
  assert.match(await tab.locator("main").innerText(), /no products|nothing|empty|yet/i);
  await accessible(tab);

  const [link] = /http:\S+\/setup#\S+/.exec(stoa.log());
  await tab.goto(link);
  const way = journey(tab);
  await tab.getByLabel("E-mail").fill(admin.email);
  await tab.getByLabel("Username").fill(admin.username);
  await tab.getByLabel("Password", { exact: true }).fill(admin.password);
  await way.click(tab.getByRole("button", { name: "Create administrator" }));
  await tab.getByRole("link", { name: "Set up the shop in the console" }).waitFor();
  await signInToConsole(tab, { admin }, "/console/welcome");
  await settled(tab);
  await accessible(tab);
  await tab.getByRole("textbox", { name: "A name for the shop" }).fill("Corner");
  await way.click(tab.getByRole("button", { name: "Save name" }));
  await tab.getByText("The shop has a new name.").waitFor();
  for (const step of ["Add a product", "Install a plugin", "How to go live", "Go to the overview"]) {
    await tab.getByRole("main").getByRole("link", { name: step }).waitFor(); // each can wait
  }
  t.diagnostic(`${way.clicks() + 1} clicks, ${way.screens()} screens, 3 forms: administrator, sign-in, name`);
  assert.deepEqual([way.clicks() + 1, way.screens()], [3, 2], "the set-up page and the guided page");

  for (const [path, heading, says] of empty) {
    await visit(tab, path);
    await tab.getByRole("heading", { level: 1 }).first().waitFor();
    assert.match(await tab.locator("main").innerText(), says, `${path} (${heading})`);
    const actions = (await tab.locator("main :is(.page-actions, .empty) .mantine-Button-root:visible").allInnerTexts());
    assert.equal(new Set(actions).size, actions.length, `${path} offers the same twice: ${actions}`);
    assert.equal(await tab.locator(".list-bar:visible ~ .empty > h2").count(), 0, `${path} has a search over nothing`);
    await accessible(tab, path);
  }
  await tab.end();
});
