// Signing in with a mail: by its link, by its code on another device, and with a second step after it.
import assert from "node:assert/strict";
import { browser, call, fine, openTab, seen, stoa, sweepSeen, useStoa } from "./kit.js";

// A mailbox gets one mail a minute: the accounts are made while there are none. So their addresses are unconfirmed.
const env = { STOA_EMAIL_SIGN_IN: "on" };
useStoa({ demo: false, env }, async () => {
  for (const scheme of ["light", "dark"])
    for (const username of [`mia-${scheme}`, `noa-${scheme}`]) {
      const answer = await call(stoa, "POST", "/auth/register", {
        body: { email: `${username}@example.com`, username, password: "correct horse battery" },
      });
      assert.equal(answer.status, 201);
    }
  await stoa.kill();
  env.STOA_MAIL = "log";
  await stoa.run();
});

// mailTo is the link and the code of the mail to sign in with to an address.
const mailTo = async (email) => {
  for (const end = Date.now() + 300_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 50))) {
    const mail = stoa.log().split("\n").filter((line) => line.includes(email)).join("\n");
    const link = mail.match(/\/sign-in\/link#[\w-]+/)?.[0];
    if (link) return { link, code: mail.match(/\\n([0-9A-Z]{4}-[0-9A-Z]{4})\\n/)[1] };
  }
  throw new Error(`no mail to ${email}`);
};

seen("a user signs in with a mailed link in the same browser", async ({ scheme, width }) => {
  const email = `mia-${scheme}@example.com`;
  const tab = await openTab(browser, stoa, { scheme, width, height: 800 });
  await tab.goto("/sign-in?next=/account/devices");
  await tab.getByRole("button", { name: "Mail me a link" }).click();
  await tab.getByText("Enter the e-mail address of your account above.").waitFor();
  await fine(tab);
  await tab.getByLabel("E-mail").fill(email);
  await tab.getByRole("button", { name: "Mail me a link" }).click();
  await tab.getByRole("heading", { name: "Check your mailbox" }).waitFor();
  await fine(tab);
  await tab.getByLabel("Code of the mail").fill("0000-0000");
  await tab.getByRole("main").getByRole("button", { name: "Sign in", exact: true }).click();
  await tab.getByText("This code does not work.").waitFor();
  await fine(tab);

  const { link } = await mailTo(email);
  const other = await tab.context().newPage();
  await other.goto(new URL(link, stoa.url).href);
  await other.getByRole("heading", { name: "Sign in" }).waitFor();
  assert.equal(new URL(other.url()).hash, "");
  await other.getByRole("button", { name: "Sign in", exact: true }).click();
  await other.waitForURL(new URL("/", stoa.url).href);
  await tab.getByText("Where you are signed in").waitFor(); // the page that waited goes on
  await fine(tab);
});

sweepSeen("a link of another browser says what to do, and its code signs in", async ({ scheme, width }) => {
  const email = `noa-${scheme}@example.com`;
  const asking = await openTab(browser, stoa, { scheme, width, height: 800 });
  await asking.goto("/sign-in?next=/account/devices");
  await asking.getByLabel("E-mail").fill(email);
  await asking.getByRole("button", { name: "Mail me a link" }).click();
  await asking.getByRole("heading", { name: "Check your mailbox" }).waitFor();
  const { link, code } = await mailTo(email);

  const phone = await openTab(browser, stoa, { scheme, width, height: 800 });
  await phone.goto(link);
  await phone.getByRole("heading", { name: "Sign in" }).waitFor();
  await fine(phone);
  await phone.getByRole("button", { name: "Sign in", exact: true }).click();
  await phone.getByRole("heading", { name: "This link does not work here" }).waitFor();
  await fine(phone);

  await asking.getByLabel("Code of the mail").fill(` ${code.toLowerCase().replace("-", " ")}`);
  await asking.getByRole("main").getByRole("button", { name: "Sign in", exact: true }).click();
  await asking.getByText("Where you are signed in").waitFor();
});
