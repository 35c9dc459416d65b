// The screen of keys and data: a key of one's own, a copy of one's data, and leaving.
import assert from "node:assert/strict";
import {
  browser, call, fine, journey, openTab, provenAccount, seen, settled, signInToShop, stoa,
  sweepSeen, useStoa,
} from "./kit.js";

useStoa({ args: ["--mail", "log"] });

const password = "correct horse battery";
const status = async (key) => (await call(stoa, "GET", "/api/marketplace/orders", { token: key })).status;

// enter opens the screen for a new user.
const enter = async (name, scheme, width) => {
  const { email } = await provenAccount(name, password);
  const tab = await openTab(browser, stoa, { scheme, width, height: 800 });
  await signInToShop(tab, { email, password }, "/account/data");
  await tab.getByRole("heading", { name: "Delete your account" }).waitFor();
  await settled(tab);
  return { email, tab };
};

// linkTo finds a link of a mail in the log.
const linkTo = async (email, page) => {
  for (const end = Date.now() + 120_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 50))) {
    const mails = stoa.log().split("\n").filter((line) => line.includes(email)).join("\n");
    const found = mails.match(new RegExp(`/${page}#([\\w.-]+)`))?.[0];
    if (found) return found;
  }
  throw new Error(`no link to ${page}`);
};

sweepSeen("a user makes a key, replaces its secret, and revokes it", async ({ scheme, width }) => {
  const { tab } = await enter(`keys-${scheme}`, scheme, width);
  await fine(tab);
  await tab.getByRole("textbox", { name: "Name" }).fill("My script");
  await tab.getByRole("button", { name: "Create a key" }).click();
  const key = await tab.locator(".note code").innerText();
  await fine(tab);
  assert.equal(await status(key), 200);
  await tab.getByRole("button", { name: "I have copied it" }).click();
  await tab.getByRole("button", { name: "Replace the secret of My script" }).click();
  await fine(tab);
  await tab.getByRole("button", { name: "Replace the secret of My script" }).click();
  const next = await tab.locator(".note code").innerText();
  assert.notEqual(next, key);
  assert.deepEqual([await status(key), await status(next)], [200, 200]);
  await tab.getByRole("button", { name: "I have copied it" }).click();
  await tab.getByRole("button", { name: "Revoke My script" }).click();
  await tab.getByRole("button", { name: "Revoke My script" }).click();
  await tab.getByText("The key is revoked.").waitFor();
  assert.deepEqual([await status(key), await status(next)], [401, 401]);
  await tab.getByText("You have no keys.").waitFor();
  await tab.end();
});

seen("a user takes a copy of the data along, leaves in 3 clicks, and comes back", async ({ scheme, width }) => {
  const { email, tab } = await enter(`leaves-${scheme}`, scheme, width);
  await tab.getByRole("button", { name: "Make a copy" }).click();
  await tab.getByRole("button", { name: "Get the copy" }).click();
  await tab.getByRole("link", { name: "Save account.zip" }).waitFor();
  await fine(tab);

  const job = journey(tab);
  await job.click(tab.getByRole("button", { name: "Delete the account" }));
  await tab.getByLabel("Type your username").fill("somebody else");
  await tab.getByRole("button", { name: "Delete the account" }).click();
  await tab.getByText("This is not your username.").waitFor();
  await fine(tab);
  await tab.getByLabel("Type your username").fill(`leaves-${scheme}`);
  await job.click(tab.getByRole("button", { name: "Delete the account" }));
  const out = tab.getByRole("main").getByRole("button", { name: "Sign out" }).last();
  await out.waitFor();
  await fine(tab);
  await job.click(out);
  assert.equal(job.clicks(), 3);
  const refused = { body: { email, password } };
  assert.equal((await call(stoa, "POST", "/auth/login", refused)).status, 401);

  await tab.goto(await linkTo(email, "keep-account"));
  await settled(tab);
  await fine(tab);
  await tab.getByRole("main").getByRole("button").first().click();
  await settled(tab);
  assert.equal((await call(stoa, "POST", "/auth/login", refused)).status, 200);
  await tab.end();
});
