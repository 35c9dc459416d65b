// The second step at sign-in: switched on, met in the shop, in the console and where a mail
// leads, and switched off. And passwords that sign in once.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  accessibilityFaults, browser, call, codeOf, fine, openTab, proven, provenAccount, seen, stoa,
  sweep, sweepSeen, useStoa,
} from "./kit.js";

useStoa({ args: ["--mail", "log"] });

const password = "correct horse battery";

// switchOn does over the API what the account page does, and returns the recovery codes.
const switchOn = async (token) => {
  const { secret } = (await call(stoa, "POST", "/auth/totp", { token })).body.data;
  const answer = await call(stoa, "POST", "/auth/totp/confirm", { token, body: { code: codeOf(secret) } });
  assert.equal(answer.status, 200);
  return answer.body.data.recoveryCodes;
};

const typePassword = async (tab, email, secret = password) => {
  await tab.getByLabel("E-mail").fill(email);
  await tab.getByRole("textbox", { name: "Password" }).fill(secret);
  await tab.getByRole("main").getByRole("button", { name: "Sign in", exact: true }).click();
};

seen("a user switches the second step on, signs in with it, and switches it off", async ({ scheme, width }) => {
  const { email } = await provenAccount(`ada-${scheme}`, password);
  const tab = await openTab(browser, stoa, { scheme, width, height: 800 });
  await tab.goto("/sign-in?next=/account/second-step");
  await typePassword(tab, email);
  await tab.getByRole("button", { name: "Set up an app" }).click();
  await tab.getByRole("img", { name: "QR code" }).waitFor();
  const secret = await tab.locator(".key code").first().innerText();
  await fine(tab);
  await tab.getByLabel("Code of your app").fill("000000");
  await tab.getByRole("button", { name: "Switch it on" }).click();
  await tab.getByText("This code is wrong. Check the clock").waitFor();
  await tab.getByLabel("Code of your app").fill(codeOf(secret));
  await tab.getByRole("button", { name: "Switch it on" }).click();
  await tab.getByText("The second step is on. Keep these codes").waitFor();
  const codes = await tab.locator(".codes li").allInnerTexts();
  assert.equal(codes.length, 8);
  await fine(tab);
  await tab.emulateMedia({ media: "print" });
  for (const more of [tab.getByRole("link", { name: "Devices and activity" }), tab.getByRole("heading", { name: "Second step", exact: true })])
    assert.equal(await more.isVisible(), false, "more than the codes is printed");
  assert.ok(await tab.locator(".codes").isVisible());
  await tab.emulateMedia({ media: "screen" });
  await tab.getByRole("button", { name: "I have kept them" }).click();
  await tab.getByText("8 recovery codes are left.").waitFor();
  await fine(tab);
  await tab.getByRole("button", { name: "Sign out" }).last().click();

  await tab.goto("/sign-in?next=/account/second-step");
  await typePassword(tab, email);
  await tab.getByLabel("Code of your app").fill("000000");
  await tab.getByRole("button", { name: "Sign in", exact: true }).click();
  await tab.getByText("You have 4 more tries.").waitFor();
  await fine(tab);
  await tab.getByRole("button", { name: "Use a recovery code" }).click();
  assert.equal(await tab.getByText("You have 4 more tries.").count(), 0, "the fault of another field stays");
  await tab.getByLabel("Recovery code").fill(codes[0].toLowerCase());
  await tab.getByRole("button", { name: "Sign in", exact: true }).click();
  await tab.getByText("7 recovery codes are left.").waitFor();

  await tab.getByRole("button", { name: "Switch it off" }).click();
  await fine(tab);
  await tab.getByRole("button", { name: "Keep it on" }).click();
  await tab.getByRole("button", { name: "Switch it off" }).click();
  await tab.getByRole("button", { name: "Switch it off" }).click();
  await tab.getByRole("button", { name: "Set up an app" }).waitFor();
  await tab.end();
});

sweep("wrong codes end a sign-in, which begins again", async () => {
  const { email, token } = await provenAccount("eve", password);
  await switchOn(token);
  const tab = await openTab(browser, stoa);
  await tab.goto("/sign-in");
  await typePassword(tab, email);
  for (const left of ["4 more", "3 more", "2 more", "one more"]) {
    await tab.getByLabel("Code of your app").fill("000000");
    await tab.getByRole("button", { name: "Sign in", exact: true }).click();
    await tab.getByText(`You have ${left}`).waitFor();
  }
  await tab.getByRole("button", { name: "Sign in", exact: true }).click();
  await tab.getByText("too many codes were wrong").waitFor();
  await fine(tab);
  await tab.getByRole("button", { name: "Start over" }).click();
  await tab.getByLabel("E-mail").waitFor();
  await tab.end();
});

sweep("the console asks administrators for the second step", async () => {
  const { email, password } = stoa.admin;
  const signedIn = await call(stoa, "POST", "/auth/login", { body: { email, password } });
  const token = signedIn.body.data.access_token;
  await call(stoa, "POST", "/auth/email/verification", { token });
  await proven(email, token);
  const codes = await switchOn(token);
  const tab = await openTab(browser, stoa);
  await tab.goto("/console");
  await tab.getByLabel("E-mail").fill(email);
  await tab.getByRole("textbox", { name: "Password" }).fill(password);
  await tab.getByRole("button", { name: "Sign in" }).click();
  await tab.getByLabel("Code of your app").fill("000000");
  await tab.getByRole("button", { name: "Sign in", exact: true }).click();
  await tab.getByText("You have 4 more tries.").waitFor();
  assert.deepEqual(await accessibilityFaults(tab), []);
  await tab.getByRole("button", { name: "Use a recovery code" }).click();
  await tab.getByLabel("Recovery code").fill(codes[0]);
  await tab.getByRole("button", { name: "Sign in", exact: true }).click();
  await tab.locator(".shell").waitFor();
  await tab.end();
});

sweep("a mailed link works for an account with a second step", async () => {
  const { email, token } = await provenAccount("carol", password);
  const codes = await switchOn(token);
  const changed = await call(stoa, "POST", "/auth/email/change", { token, body: { newEmail: "carol@example.org" } });
  assert.equal(changed.status, 202);
  let link;
  for (const end = Date.now() + 120_000; !link && Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 50))) {
    link = stoa.log().match(/\/change-email#[\w-]+/)?.[0];
  }
  const tab = await openTab(browser, stoa);
  await tab.goto(link);
  await tab.getByLabel("E-mail address").fill(email);
  await tab.getByRole("textbox", { name: "Password" }).fill(password);
  await tab.getByRole("button", { name: "Use this address" }).click();
  await tab.getByLabel("Code of your app, or a recovery code").fill("000000");
  await tab.getByRole("button", { name: "Use this address" }).click();
  await tab.getByText("This code is wrong.").waitFor();
  assert.deepEqual(await accessibilityFaults(tab), []);
  await tab.getByLabel("Code of your app, or a recovery code").fill(codes[0]);
  await tab.getByRole("button", { name: "Use this address" }).click();
  await tab.getByText("Your address is changed").first().waitFor();
  await tab.end();
});

// atTheMachine runs a command of stoa for the administrator of the machine.
const atTheMachine = (command, email) =>
  execFileSync(process.env.STOA_BINARY, ["admin", command, "--data", stoa.folder, "--email", email], {
    encoding: "utf8", stdio: ["ignore", "pipe", "ignore"],
  });

const onceFor = (email) => atTheMachine("reset-password", email).match(/^password: (\S+)$/m)[1];

const next = "staple battery correct";

sweepSeen("whoever got a password for one sign-in sets the next", async ({ scheme, width }) => {
  const { email } = await provenAccount(`once-${scheme}`, password);
  const tab = await openTab(browser, stoa, { scheme, width, height: 800 });
  await tab.goto("/sign-in?next=/account/sign-in");
  await typePassword(tab, email, onceFor(email));
  await tab.getByText("One that works once is gone now").waitFor();
  await fine(tab);
  await tab.getByRole("button", { name: "Set a password" }).click();
  await tab.getByText("Fill in this field.").waitFor();
  await tab.getByLabel("New password").fill("short");
  await tab.getByRole("button", { name: "Set a password" }).click();
  await tab.getByText("newPassword must have 6 characters or more.").waitFor();
  await fine(tab);
  await tab.getByLabel("New password").fill(next);
  await tab.getByRole("button", { name: "Set a password" }).click();
  await tab.getByText("Your password is changed.").waitFor();
  await tab.getByLabel("Current password").waitFor();
  await fine(tab);
  await tab.getByRole("button", { name: "Sign out" }).last().click();
  await tab.goto("/sign-in?next=/account/sign-in");
  await typePassword(tab, email, next);
  await tab.getByLabel("Current password").waitFor();
  await tab.end();
});

sweep("the console says where to set a password after one that worked once", async () => {
  const { email } = await provenAccount("boss", password);
  atTheMachine("promote", email);
  const tab = await openTab(browser, stoa);
  await tab.goto("/console");
  await tab.getByLabel("E-mail").fill(email);
  await tab.getByRole("textbox", { name: "Password" }).fill(onceFor(email));
  await tab.getByRole("button", { name: "Sign in" }).click();
  await tab.getByText("One that works once is gone now.").waitFor();
  assert.deepEqual(await accessibilityFaults(tab), []);
  // Until the account is known, nothing may be typed that the right form would not have.
  let answer;
  const held = new Promise((resolve) => (answer = resolve));
  await tab.route("**/auth/account", (route) => held.then(() => route.continue()));
  await tab.getByRole("link", { name: "Set the next" }).click();
  await tab.getByRole("button", { name: "Sign out" }).last().waitFor();
  assert.equal(await tab.getByLabel("New password").count(), 0);
  answer();
  await tab.getByLabel("New password").fill(next);
  await tab.getByRole("button", { name: "Set a password" }).click();
  await tab.getByText("Your password is changed.").waitFor();
  await tab.goto("/console");
  await tab.locator(".shell").waitFor();
  await tab.locator("main h1").first().waitFor();
  assert.equal(await tab.getByText("works once").count(), 0);
  await tab.end();
});

const root = { email: "root@example.com", password };
useStoa({
  demo: false, args: ["--admin-email", root.email, "--staff-second-factor", "required"], env: { STOA_ADMIN_PASSWORD: password },
});

const enter = async (tab) => {
  await tab.goto("/console");
  await tab.getByLabel("E-mail").fill(root.email);
  await tab.getByRole("textbox", { name: "Password" }).fill(root.password);
  await tab.getByRole("button", { name: "Sign in" }).click();
};

sweep("where administrators need a second step, they see nothing else until it is on", async () => {
  const tab = await openTab(browser, stoa, { width: 360, height: 740 });
  await enter(tab);
  await tab.getByText("Staff sign in with a second factor here.").waitFor();
  assert.equal(await tab.locator(".shell").count(), 0);
  await fine(tab);
  await tab.getByRole("button", { name: "Sign out" }).click();
  await enter(tab);
  await tab.getByRole("link", { name: "Open your account" }).click();
  await tab.getByRole("button", { name: "Set up an app" }).click();
  await tab.getByRole("img", { name: "QR code" }).waitFor();
  await tab.getByLabel("Code of your app").fill(codeOf(await tab.locator(".key code").first().innerText()));
  await tab.getByRole("button", { name: "Switch it on" }).click();
  await tab.getByText("The second step is on. Keep these codes").waitFor();
  await tab.goto("/console");
  await tab.locator(".shell").waitFor();
  await tab.getByRole("heading", { name: "Overview" }).waitFor();
  await tab.end();
});
