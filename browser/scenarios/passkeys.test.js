// Passkeys: added, used to sign in to the shop and to the console, as a second step, and removed.
import assert from "node:assert/strict";
import {
  accessibilityFaults, browser, call, fine, fromMenu, journey, openTab, proven, provenAccount,
  seen, settled, stoa, sweep, sweepSeen, useStoa,
} from "./kit.js";

// Passkeys need a name, and 127.0.0.1 is none.
useStoa({ args: ["--mail", "log", "--public-url", "http://localhost:{port}"] });

const password = "correct horse battery";

// at is an address of stoa by its name.
const at = (path) => `http://localhost:${new URL(stoa.url).port}${path}`;

const named = () => ({ ...stoa, url: at("") });

// withDevice gives a tab's browser a device that makes and proves passkeys, and says yes to everything.
const withDevice = async (tab) => {
  const devtools = await tab.context().newCDPSession(tab);
  await devtools.send("WebAuthn.enable");
  const { authenticatorId } = await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true, isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    credentials: async () => (await devtools.send("WebAuthn.getCredentials", { authenticatorId })).credentials,
    says: (yes) => devtools.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: yes }),
  };
};

// unasked keeps the browser from offering passkeys by itself: the device says yes to that at once.
const unasked = () => { PublicKeyCredential.isConditionalMediationAvailable = async () => false; };

// changesTheirMind says no to the device where it is asked for a passkey, and then yes.
const changesTheirMind = async (tab, device) => {
  const use = tab.getByRole("button", { name: "Use a passkey" });
  await device.says(false);
  await use.click();
  await tab.getByText("No passkey was used.").waitFor();
  await fine(tab);
  await device.says(true);
  await use.click();
};

seen("a user adds a passkey in two clicks, signs in with it, and removes it", async ({ scheme, width }, t) => {
  const { email } = await provenAccount(`ada-${scheme}`, password);
  const tab = await openTab(browser, named(), { scheme, width, height: 800 });
  const device = await withDevice(tab);
  await tab.addInitScript(unasked);
  await signIn(tab, email, "/account");
  const way = journey(tab);
  await way.click(tab.getByRole("link", { name: "Ways to sign in" }));
  await way.click(tab.getByRole("button", { name: "Add a passkey" }));
  await tab.getByText("This device is added.").waitFor();
  t.diagnostic(`${way.clicks()} clicks from the account to a passkey, and the device's dialog`);
  assert.equal(way.clicks(), 2);
  assert.equal((await device.credentials()).length, 1);
  await tab.getByText("You have none.").waitFor();
  await fine(tab);
  await tab.getByRole("link", { name: "Get recovery codes" }).click();
  await tab.getByText("0 recovery codes are left.").waitFor();
  await tab.getByText("One passkey is a second step, too.").waitFor();
  await fine(tab);
  await tab.getByRole("button", { name: "Sign out" }).last().click();

  // Alone.
  await tab.goto(at("/sign-in?next=/account/sign-in"));
  await tab.getByRole("button", { name: "Sign in with a passkey" }).waitFor();
  await fine(tab);
  await tab.getByRole("button", { name: "Sign in with a passkey" }).click();
  await tab.getByRole("button", { name: "Remove This device" }).waitFor();
  await tab.getByRole("button", { name: "Sign out" }).last().click();

  // On a page behind a mailed link.
  await tab.goto(at("/claim-orders"));
  await tab.getByRole("textbox", { name: "E-mail address" }).fill(email);
  await tab.getByRole("textbox", { name: "Password" }).fill(password);
  await tab.getByRole("button", { name: "Send the mail" }).click();
  await tab.getByRole("button", { name: "Use a passkey" }).waitFor();
  await tab.getByRole("textbox", { name: "E-mail address" }).fill("else@example.com");
  await tab.getByRole("button", { name: "Use a passkey" }).waitFor({ state: "hidden" });
  await tab.getByRole("textbox", { name: "E-mail address" }).fill(email);
  await tab.getByRole("button", { name: "Send the mail" }).click();
  await changesTheirMind(tab, device);
  await tab.getByRole("heading", { name: "Check your mailbox" }).waitFor();

  // After the password; first the user changes their mind.
  await tab.goto(at("/sign-in?next=/account/sign-in"));
  await tab.getByLabel("E-mail").fill(email);
  await tab.getByRole("textbox", { name: "Password" }).fill(password);
  await tab.getByRole("main").getByRole("button", { name: "Sign in", exact: true }).click();
  await tab.getByRole("heading", { name: "One more step" }).waitFor();
  await changesTheirMind(tab, device);
  await tab.getByRole("button", { name: "Remove This device" }).click();
  await fine(tab);
  await tab.getByRole("button", { name: "Remove This device" }).click();
  await tab.getByText("The passkey is removed.").waitFor();
  await tab.getByRole("link", { name: "Second step" }).click();
  await tab.getByRole("button", { name: "Set up an app" }).waitFor();
  await tab.end();
});

sweep("an administrator signs in to the console with a passkey, and plans the removal of a lost one", async () => {
  const login = await call(stoa, "POST", "/auth/login", { body: stoa.admin });
  const token = login.body.data.access_token;
  const users = await call(stoa, "GET", "/api/v1/admin/users?role=USER", { token });
  const buyer = users.body.data.items[0];
  await call(stoa, "POST", "/auth/email/verification", { token });
  await proven(stoa.admin.email, token);
  const tab = await openTab(browser, named());
  await withDevice(tab);
  await tab.addInitScript(unasked);
  await tab.goto(at("/sign-in?next=/account/sign-in"));
  await tab.getByLabel("E-mail").fill(stoa.admin.email);
  await tab.getByRole("textbox", { name: "Password" }).fill(stoa.admin.password);
  await tab.getByRole("main").getByRole("button", { name: "Sign in", exact: true }).click();
  await tab.getByRole("button", { name: "Add a passkey" }).click();
  await tab.getByText("This device is added.").waitFor();
  await tab.getByRole("button", { name: "Sign out" }).last().click();
  await tab.goto(at("/console"));
  await tab.getByRole("button", { name: "Sign in with a passkey" }).waitFor();
  assert.deepEqual(await accessibilityFaults(tab), []);
  await tab.getByRole("button", { name: "Sign in with a passkey" }).click();
  await tab.locator(".shell").waitFor();

  await tab.goto(at(`/console/people/${buyer.id}`));
  await fromMenu(tab, "Mail a link for a new password");
  await tab.getByRole("dialog").getByText("Its link works once, for 30 minutes.").waitFor();
  assert.deepEqual(await accessibilityFaults(tab), []);
  await tab.getByRole("dialog").getByRole("button", { name: "Mail a link for a new password" }).click();
  await tab.getByText(`A mail is on its way to ${buyer.email}`).waitFor();
  await fromMenu(tab, "Take the address back");
  await tab.getByRole("dialog").getByRole("button", { name: "Take the address back" }).click();
  await tab.getByRole("dialog").getByText("The address was not changed in the last seven days.").waitFor();
  await tab.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await fromMenu(tab, "Remove the second step");
  const dialog = tab.getByRole("dialog");
  await dialog.getByText("The first sign-in with the password after 24 hours").waitFor();
  assert.deepEqual(await accessibilityFaults(tab), []);
  await dialog.getByRole("button", { name: "Remove the second step" }).click();
  await dialog.getByText("The account has no second factor.").waitFor();

  // Ten minutes later: the proof is asked for in the dialog.
  await dialog.getByRole("button", { name: "Cancel" }).click();
  let proofs = 0;
  await tab.route("**/second-factor/reset", async (route) => {
    if (proofs > 0) return route.continue();
    return route.fulfill({ status: 403, contentType: "application/json", body: JSON.stringify({
      success: false, error: { code: "REAUTHENTICATION_REQUIRED", message: "-", details: { methods: ["passkey"], maxAge: 600 } },
    }) });
  });
  tab.on("response", (response) => { if (response.url().endsWith("/auth/reauthenticate") && response.ok()) proofs += 1; });
  await fromMenu(tab, "Remove the second step");
  await dialog.getByRole("button", { name: "Remove the second step" }).click();
  await dialog.getByRole("button", { name: "Use a passkey" }).click();
  await dialog.getByText("The account has no second factor.").waitFor();
  assert.equal(proofs, 1);
  await tab.end();
});

// signIn signs in with the password, and lands on a page.
const signIn = async (tab, email, next) => {
  await tab.goto(at(`/sign-in?next=${next}`));
  await tab.getByLabel("E-mail").fill(email);
  await tab.getByRole("textbox", { name: "Password" }).fill(password);
  await tab.getByRole("main").getByRole("button", { name: "Sign in", exact: true }).click();
};

sweep("a user renames a passkey, removes the password, and sets another", async () => {
  const { email } = await provenAccount("grace", password);
  const tab = await openTab(browser, named(), { width: 360, height: 800 });
  await withDevice(tab);
  await tab.addInitScript(unasked);
  await signIn(tab, email, "/account/sign-in");
  await tab.getByRole("button", { name: "Add a passkey" }).click();
  await tab.getByRole("button", { name: "Rename This device" }).click();
  await tab.getByRole("textbox", { name: "Name", exact: true }).fill("Old laptop");
  await fine(tab);
  await tab.getByRole("button", { name: "Rename", exact: true }).click();
  await tab.getByText("The passkey is called Old laptop now.").waitFor();
  await tab.getByRole("button", { name: "Remove Old laptop" }).waitFor();

  // One passkey alone is too little: its device may get lost.
  assert.equal(await tab.getByRole("button", { name: "Remove the password" }).count(), 0);
  await tab.getByRole("link", { name: "Get recovery codes" }).click();
  await tab.getByRole("button", { name: "Get new recovery codes" }).click();
  await tab.getByRole("button", { name: "I have kept them" }).click();
  await tab.getByRole("link", { name: "Ways to sign in" }).click();
  await tab.getByRole("button", { name: "Remove the password" }).click();
  await fine(tab);
  await tab.getByRole("button", { name: "Remove the password" }).click();
  await tab.getByText("Your password is removed.").waitFor();
  await tab.getByText("you sign in with a passkey").waitFor();
  await fine(tab);
  await tab.getByRole("textbox", { name: "New password" }).fill("staple correct horse");
  await tab.getByRole("button", { name: "Set a password" }).click();
  await tab.getByText("Your password is changed.").waitFor();
  await tab.end();
});

sweepSeen("whoever signs in with a password is offered a passkey, once", async ({ scheme, width }) => {
  const { email } = await provenAccount(`iris-${scheme}`, password);
  const tab = await openTab(browser, named(), { scheme, width, height: 800 });
  const device = await withDevice(tab);
  await tab.addInitScript(unasked);
  await signIn(tab, email, "/orders");
  const offer = tab.getByRole("region", { name: "Sign in with a passkey next time" });
  await offer.waitFor();
  await fine(tab);
  await offer.getByRole("button", { name: width === 360 ? "Not now" : "Add a passkey" }).click();
  if (width === 360) {
    await offer.waitFor({ state: "hidden" });
    await tab.goto(at("/account"));
    await tab.getByRole("button", { name: "Sign out" }).last().click();
    await signIn(tab, email, "/orders");
    await tab.getByRole("heading", { name: "My orders" }).waitFor();
    await settled(tab);
    assert.equal(await offer.count(), 0);
  } else {
    await tab.getByText("This device is added.").waitFor();
    assert.equal((await device.credentials()).length, 1);
  }
  await tab.end();
});

sweep("a browser that can offers passkeys in the field for the name", async () => {
  for (const [page, seen, username] of [["/sign-in?next=/account/sign-in", "Remove This device", "carol"], ["/console", "for the shop's staff", "dave"]]) {
    const { email } = await provenAccount(username, password);
    const tab = await openTab(browser, named());
    await withDevice(tab);
    await tab.goto(at("/sign-in?next=/account/second-step")); // where one is added, too
    await tab.getByLabel("E-mail").fill(email);
    await tab.getByRole("textbox", { name: "Password" }).fill(password);
    await tab.getByRole("main").getByRole("button", { name: "Sign in", exact: true }).click();
    await tab.getByRole("button", { name: "Add a passkey" }).click();
    await tab.getByText("This device is added.").waitFor();
    await tab.context().clearCookies(); // to sign out leads to a page that asks the device, which would be left at once
    await tab.goto(at(page)); // where the device says yes
    await tab.getByText(seen).or(tab.getByRole("button", { name: seen })).first().waitFor();
    await tab.end();
  }
});
