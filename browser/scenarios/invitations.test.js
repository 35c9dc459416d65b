// Inviting somebody to the staff in the console, and accepting it: with a new account, and in one that is there.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { adminToken, browser, call, fine, journey, openConsole, openTab, seen, stoa, useStoa, visit } from "./kit.js";

const binary = process.env.STOA_BINARY;
const password = "correct horse battery";

useStoa({ env: { STOA_MAIL: "log" } });

// mailTo is the path of the link in the invitation that was mailed to an address.
const mailTo = async (email, mails = 1) => {
  for (const end = Date.now() + 300_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 50))) {
    const text = stoa.log().split("\n").filter((line) => line.includes(email)).join("\n");
    const links = [...new Set(text.match(/\/invitation#[\w-]+/g))];
    if (links.length >= mails) return links.at(-1);
  }
  throw new Error(`no mail to ${email}`);
};

let nobodyYet = true; // is invited

seen("an administrator invites somebody, who makes an account", async ({ scheme, width }) => {
  const options = { scheme, width, height: 800 };
  const email = `mia-${scheme}@example.com`;
  const tab = await openConsole("/console/people/invitations", options);
  if (nobodyYet) await tab.getByRole("heading", { name: "Nobody is invited" }).waitFor();
  nobodyYet = false;
  await fine(tab);
  const job = journey(tab);
  await job.click(tab.getByRole("button", { name: "Invite somebody" }));
  const dialog = tab.getByRole("dialog");
  assert.ok(await dialog.getByRole("button", { name: "Send the invitation" }).isDisabled());
  await dialog.getByLabel("E-mail address").fill(email);
  await dialog.getByRole("combobox", { name: "Role" }).click();
  await tab.getByRole("option", { name: "Support" }).click();
  await dialog.getByText("They may then:").waitFor();
  await fine(tab);
  await job.click(dialog.getByRole("button", { name: "Send the invitation" }));
  const row = tab.getByRole("row").filter({ hasText: email });
  await row.waitFor();
  await fine(tab);

  const link = await mailTo(email);
  const other = await openTab(browser, stoa, options);
  await other.goto(link);
  await other.getByRole("heading", { name: "Help to run" }).waitFor();
  assert.equal(new URL(other.url()).hash, "", "the token leaves the address at once");
  await other.getByText(`invites ${email} to the role SUPPORT`).waitFor();
  await fine(other);
  await other.getByRole("button", { name: "Create the account and accept" }).click();
  await other.getByText("Choose a username.").waitFor();
  await other.getByLabel("Username").fill(`mia-${scheme}`);
  await other.getByLabel("Password", { exact: true }).fill("x");
  await other.getByRole("button", { name: "Create the account and accept" }).click();
  await other.getByText(/The password must have/).waitFor();
  await fine(other);
  await other.getByLabel("Password", { exact: true }).fill(password);
  await other.getByRole("button", { name: "Create the account and accept" }).click();
  await other.waitForURL(new URL("/console", stoa.url).href);
  await other.getByRole("heading", { level: 1 }).waitFor();

  const again = await openTab(browser, stoa, options);
  await again.goto(link);
  await again.getByRole("heading", { name: "This invitation no longer works" }).waitFor();
  await fine(again);
  await visit(tab, "/console/people/invitations");
  assert.equal(await row.count(), 0);
  await Promise.all([tab.end(), other.end(), again.end()]);
});

seen("somebody with an account accepts in it, and a revoked invitation is dead", async ({ scheme, width }) => {
  const options = { scheme, width, height: 800 };
  const token = await adminToken(stoa);
  // Somebody whose address is confirmed: they accepted an invitation before, and are a customer again.
  const email = `mia-${scheme}@example.com`;
  const found = (await call(stoa, "GET", `/api/v1/admin/users?q=${email}`, { token })).body.data.items[0];
  const changed = await call(stoa, "PATCH", `/api/v1/admin/users/${found.id}`, { token, body: { role: "USER" } });
  assert.equal(changed.status, 200);
  const printed = execFileSync(binary, ["admin", "invite", "--email", email, "--role", "ANALYST", "--data", stoa.folder, "--public-url", stoa.url]);

  const tab = await openConsole("/console/people/invitations", options);
  const address = `lea-${scheme}@example.com`;
  const invite = async () => {
    await tab.getByRole("button", { name: "Invite somebody" }).click();
    await tab.getByRole("dialog").getByLabel("E-mail address").fill(address);
    await tab.getByRole("dialog").getByRole("combobox", { name: "Role" }).click();
    await tab.getByRole("option", { name: "Catalog" }).click();
    await tab.getByRole("dialog").getByRole("button", { name: "Send the invitation" }).click();
  };
  const dialog = tab.getByRole("dialog"), enough = dialog.getByText(/This mailbox has had enough mails lately/);
  await invite();
  await tab.getByRole("row").filter({ hasText: address }).first().waitFor();
  let mails = 0; // one, unless this machine takes a minute until the next; all of an hour at most
  do {
    assert.ok(++mails < 10, "a mailbox gets any number of mails");
    await invite();
    await Promise.any([enough.waitFor(), dialog.waitFor({ state: "detached" })]);
  } while (!await enough.isVisible());
  await fine(tab);
  await tab.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();

  const other = await openTab(browser, stoa, options);
  await other.goto(String(printed).trim().split("\n").at(-1));
  await other.getByText("You have an account with this address.").waitFor();
  await fine(other);
  await other.getByLabel("Password", { exact: true }).fill("not this one");
  await other.getByRole("button", { name: "Sign in and accept" }).click();
  await other.getByText(/is wrong/).waitFor();
  await other.getByLabel("Password", { exact: true }).fill(password);
  await other.getByRole("button", { name: "Sign in and accept" }).click();
  await other.waitForURL(new URL("/console", stoa.url).href);
  await other.getByRole("heading", { level: 1, name: "Overview" }).waitFor();

  const link = await mailTo(address, mails);
  await visit(tab, "/console/people/invitations");
  await tab.getByRole("button", { name: `Revoke the invitation of ${address}` }).click();
  await fine(tab);
  await tab.getByRole("dialog").getByRole("button", { name: "Revoke", exact: true }).click();
  await tab.getByText(`The invitation of ${address} is revoked.`).waitFor();
  const last = await openTab(browser, stoa, options);
  await last.goto(link);
  await last.getByRole("heading", { name: "This invitation no longer works" }).waitFor();
  await Promise.all([tab.end(), other.end(), last.end()]);
});
