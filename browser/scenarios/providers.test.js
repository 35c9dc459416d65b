// Accounts elsewhere: an OpenID provider signs people up and in, is linked to an account and unlinked, and proves that
// somebody is there.
import assert from "node:assert/strict";
import { createHash, generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import {
  accessible, adminToken, browser, call, codeOf, fine, openTab, provenAccount, seen, signInToShop,
  stoa, sweep, sweepSeen, useStoa,
} from "./kit.js";

const client = { id: "the-shop", secret: "a secret of the shop" };

const base64 = (bytes) => Buffer.from(bytes).toString("base64url");

// startProvider starts an honest OpenID provider on this machine. person is who is signed in there; null turns
// everybody away. It ends with this process.
const startProvider = async () => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const provider = { person: null, codes: new Map() };
  const signed = (claims) => {
    const text = [{ alg: "ES256", kid: "one" }, claims].map((part) => base64(JSON.stringify(part))).join(".");
    return `${text}.${base64(sign("sha256", Buffer.from(text), { key: privateKey, dsaEncoding: "ieee-p1363" }))}`;
  };
  const json = (body, status = 200) => ({ status, headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  const routes = {
    "/.well-known/openid-configuration": () => json({
      issuer: provider.url, authorization_endpoint: `${provider.url}/authorize`, token_endpoint: `${provider.url}/token`,
      jwks_uri: `${provider.url}/keys`, id_token_signing_alg_values_supported: ["ES256"],
    }),
    "/keys": () => json({ keys: [{ ...publicKey.export({ format: "jwk" }), kid: "one", alg: "ES256", use: "sig" }] }),
    "/authorize": (query) => {
      assert.equal(query.get("client_id"), client.id);
      assert.equal(query.get("code_challenge_method"), "S256");
      const code = randomUUID();
      if (provider.person) provider.codes.set(code, { query, person: provider.person });
      const back = new URLSearchParams({ state: query.get("state"), ...(provider.person ? { code } : { error: "access_denied" }) });
      return { status: 303, headers: { Location: `${query.get("redirect_uri")}?${back}` } };
    },
    "/token": (_, form, authorization) => {
      const known = provider.codes.get(form.get("code"));
      provider.codes.delete(form.get("code")); // each works once
      const said = Buffer.from(authorization.replace("Basic ", ""), "base64").toString().replaceAll("+", " ");
      const print = createHash("sha256").update(form.get("code_verifier") ?? "").digest("base64url");
      const right = known && decodeURIComponent(said) === `${client.id}:${client.secret}` &&
        known.query.get("code_challenge") === print && known.query.get("redirect_uri") === form.get("redirect_uri");
      if (!right) return json({ error: "invalid_grant" }, 400);
      const now = Math.floor(Date.now() / 1000);
      return json({ access_token: randomUUID(), token_type: "Bearer", id_token: signed({
        iss: provider.url, aud: client.id, iat: now, exp: now + 60, nonce: known.query.get("nonce"),
        ...(known.query.has("max_age") ? { auth_time: now } : {}), ...known.person,
      }) });
    },
  };
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url, provider.url);
    const body = Buffer.concat(await request.toArray()).toString();
    const route = routes[pathname] ?? (() => ({ status: 404 }));
    const answer = route(searchParams, new URLSearchParams(body), request.headers.authorization ?? "");
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  server.unref();
  provider.url = `http://127.0.0.1:${server.address().port}`;
  return provider;
};

// The shop believes the office what it says of addresses, and not the club.
let office, club;

const tell = async (slug, name, { url }, verifiesAddresses, more = {}) => {
  const answer = await call(stoa, "PUT", `/api/v1/admin/identity-providers/${slug}`, { token: await adminToken(stoa), body: {
    kind: "oidc", name, issuer: url, clientId: client.id, clientSecret: client.secret, enabled: true, signUp: true, verifiesAddresses, ...more,
  } });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
};

useStoa(async () => {
  [office, club] = await Promise.all([startProvider(), startProvider()]);
  return { args: ["--mail", "log"], env: { STOA_EXTERNAL_ALLOW: "127.0.0.0/8" } };
}, async () => {
  await tell("office", "Harbor Office", office, true);
  await tell("club", "Sailing Club", club, false);
});

const open = (options) => openTab(browser, stoa, { ...options, also: [office.url, club.url] });

const person = (name) => ({ sub: name, email: `${name}@example.org`, email_verified: true });

const button = (tab, name) => tab.getByRole("button", { name, exact: true });

// enter comes to a page with the account of somebody at a provider.
const enter = async (tab, name, provider, who, next = "/account/sign-in") => {
  provider.person = who;
  await tab.goto(`/sign-in?next=${next}`);
  await button(tab, `Continue with ${name}`).click();
};

const signUp = async (tab, name) => {
  await enter(tab, "Harbor Office", office, person(name));
  await tab.getByLabel("Username").fill(name);
  await button(tab, "Create an account").click();
  await tab.getByRole("heading", { name: "Accounts elsewhere" }).waitFor();
};

const signOut = async (tab) => {
  await button(tab, "Sign out").last().click();
  await tab.getByLabel("E-mail").waitFor();
};

// mailed returns the last code in the mails to an address.
const mailed = async (email) => {
  for (const end = Date.now() + 120_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 50))) {
    const mails = stoa.log().split("\n").filter((line) => line.includes(`to=${email}`)).join("\n");
    const codes = [...mails.matchAll(/\\n([0-9A-Z]{4}-[0-9A-Z]{4})\\n/g)];
    if (codes.length > 0) return codes.at(-1)[1];
  }
  throw new Error(`no code for ${email}`);
};

seen("somebody signs up with an account elsewhere, signs in with it, unlinks and links it", async ({ scheme, width }) => {
  const name = `zoe-${scheme}`;
  const tab = await open({ scheme, width, height: 800 });
  await tab.goto("/sign-in?next=/account/sign-in");
  await button(tab, "Continue with Harbor Office").waitFor();
  assert.deepEqual(await tab.getByRole("button", { name: /^Continue with/ }).allInnerTexts(), ["Continue with Sailing Club", "Continue with Harbor Office"]);
  await fine(tab);
  await enter(tab, "Harbor Office", office, person(name));
  await tab.getByRole("heading", { name: "Choose a username" }).waitFor();
  await fine(tab);
  await button(tab, "Create an account").click();
  await tab.getByText("Fill in this field.").waitFor();
  await tab.getByLabel("Username").fill("x");
  await button(tab, "Create an account").click();
  await tab.getByText("username must have 3 characters or more.").waitFor();
  await tab.getByLabel("Username").fill(name);
  await button(tab, "Create an account").click();
  await tab.waitForURL((url) => url.pathname === "/account/sign-in");
  await tab.getByText(`${name}@example.org`).first().waitFor();
  await tab.getByText("You sign in with an account elsewhere.").waitFor();
  await fine(tab);

  // It is the last way in.
  await button(tab, "Unlink Harbor Office").click();
  await fine(tab);
  await button(tab, "Keep it linked").click();
  await button(tab, "Unlink Harbor Office").click();
  await button(tab, "Unlink Harbor Office").click();
  await tab.getByText("This is the last way to sign in to the account.").waitFor();
  await fine(tab);
  await signOut(tab);

  // The form in place of a page leads back to it.
  await tab.goto("/orders");
  await tab.goto("/account/sign-in");
  await button(tab, "Continue with Harbor Office").click();
  await button(tab, "Unlink Harbor Office").waitFor();
  assert.equal(new URL(tab.url()).pathname, "/account/sign-in");

  await tab.getByLabel("New password").fill("correct horse battery");
  await button(tab, "Set a password").click();
  await tab.getByText("Your password is changed.").waitFor();
  await button(tab, "Unlink Harbor Office").click();
  await button(tab, "Unlink Harbor Office").click();
  // With it goes the session that began so.
  await tab.getByText("Your session has ended.").waitFor();
  await tab.getByRole("textbox", { name: "E-mail", exact: true }).fill(`${name}@example.org`);
  await tab.getByRole("textbox", { name: "Password", exact: true }).fill("correct horse battery");
  await tab.getByRole("main").getByRole("button", { name: "Sign in", exact: true }).click();
  await tab.getByText("Harbor Office is unlinked.").waitFor();
  await fine(tab);
  await button(tab, "Link Harbor Office").click();
  await button(tab, "Unlink Harbor Office").waitFor();
  await tab.getByRole("link", { name: "Devices and activity" }).click();
  await tab.getByText("Account elsewhere linked").first().waitFor();
  await tab.end();
});

sweepSeen("an account elsewhere is linked with a code that is mailed", async ({ scheme, width }) => {
  const name = `carol-${scheme}`, email = `${name}@example.org`;
  const tab = await open({ scheme, width, height: 800 });
  await signUp(tab, name);
  await signOut(tab);

  // The club names an address, which counts only once its mailbox is proven.
  await enter(tab, "Sailing Club", club, { ...person("member"), sub: `member-${scheme}` }, "/orders");
  await tab.getByRole("heading", { name: "Confirm your e-mail address" }).waitFor();
  assert.equal(await tab.getByLabel("E-mail").inputValue(), "member@example.org");
  await fine(tab);
  await tab.getByLabel("E-mail").fill(email);
  await button(tab, "Mail me a code").click();
  await tab.getByText(`A mail with a code is on its way to ${email}.`).waitFor();
  await fine(tab);
  await tab.getByLabel("Code of the mail").fill("0000-0000");
  await button(tab, "Confirm the code").click();
  await tab.getByText("The code is wrong or no longer works.").waitFor();
  await fine(tab);
  await tab.getByLabel("Code of the mail").fill((await mailed(email)).toLowerCase().replace("-", " "));
  await button(tab, "Confirm the code").click();
  await tab.getByRole("heading", { name: "You have an account here already" }).waitFor();
  assert.equal(await tab.getByRole("link", { name: "Sign in and link" }).getAttribute("href"), "/sign-in?next=/account/sign-in");
  await fine(tab);
  await button(tab, "Link the two").click();
  await tab.waitForURL((url) => url.pathname === "/orders");
  await tab.goto("/account/sign-in");
  await button(tab, "Unlink Sailing Club").waitFor();
  await button(tab, "Unlink Harbor Office").waitFor();
  await fine(tab);
  await tab.end();
});

sweep("a second step is asked for, at a sign-in and before a link", async () => {
  const email = "dora@example.org", tab = await open();
  await signUp(tab, "dora");
  await tab.getByRole("link", { name: "Second step" }).click();
  await button(tab, "Set up an app").click();
  await tab.getByLabel("Code of your app").fill(codeOf(await tab.locator(".key code").first().innerText()));
  await button(tab, "Switch it on").click();
  await tab.getByText("The second step is on.").first().waitFor();
  const codes = await tab.locator(".codes li").allInnerTexts();
  await button(tab, "I have kept them").click();
  await signOut(tab);
  const prove = async (code) => {
    await tab.getByRole("heading", { name: "One more step" }).waitFor();
    await button(tab, "Use a recovery code").click();
    await tab.getByLabel("Recovery code").fill(code);
    await fine(tab);
    await button(tab, "Sign in").click();
  };
  await enter(tab, "Harbor Office", office, person("dora"));
  await prove(codes[0]);
  await button(tab, "Unlink Harbor Office").waitFor();
  await signOut(tab);

  await tell("club", "Sailing Club", club, true);
  await enter(tab, "Sailing Club", club, { ...person("dora"), sub: "member-dora" });
  await tab.getByRole("heading", { name: "You have an account here already" }).waitFor();
  await fine(tab);
  await button(tab, "Mail me a code").click();
  await tab.getByText("on its way to the address of your account").waitFor();
  await fine(tab);
  await button(tab, "Ask for another code").click();
  await tab.getByRole("heading", { name: "You have an account here already" }).waitFor();
  await button(tab, "Mail me a code").click(); // the mailbox has had one a moment ago: the same answer
  const next = tab.getByRole("heading", { name: "One more step" }), wrong = tab.getByText("The code is wrong or no longer works.");
  for (const tried = new Set(), end = Date.now() + 300_000; !await next.isVisible(); ) { // after a minute it has another one
    const code = await mailed(email);
    assert.ok(Date.now() < end, "no code is accepted");
    if (tried.has(code)) { await new Promise((resolve) => setTimeout(resolve, 100)); continue; }
    tried.add(code);
    await tab.getByLabel("Code of the mail").fill(code);
    await button(tab, "Confirm the code").click();
    await Promise.any([next.waitFor(), ...tried.size === 1 ? [wrong.waitFor()] : []]);
  }
  await prove(codes[1]);
  await button(tab, "Unlink Sailing Club").waitFor();
  await tell("club", "Sailing Club", club, false);
  await tab.end();
});

// refused is the answer to whoever did not prove to be there in time.
const refused = (methods) => ({
  status: 403, contentType: "application/json",
  body: JSON.stringify({ success: false, error: { code: "REAUTHENTICATION_REQUIRED", message: "-", details: { methods, maxAge: 600 } } }),
});

sweep("whoever signs in elsewhere only proves there to be there", async () => {
  const tab = await open();
  await signUp(tab, "eve");
  let asks = true;
  await tab.route("**/auth/password", (route) => (asks
    ? route.fulfill(refused(["provider"]))
    : route.continue()));
  await tab.getByLabel("New password").fill("correct horse battery");
  await button(tab, "Set a password").click();
  await button(tab, "Sign in with Harbor Office again").waitFor();
  await fine(tab);
  const proven = tab.waitForResponse((response) => response.url().endsWith("/auth/oidc/complete"));
  await button(tab, "Sign in with Harbor Office again").click();
  assert.ok((await (await proven).json()).data.until);
  asks = false;
  await tab.waitForURL((url) => url.pathname === "/account/sign-in");
  await tab.getByLabel("New password").fill("correct horse battery");
  await button(tab, "Set a password").click();
  await tab.getByText("Your password is changed.").waitFor();
  await tab.end();
});

sweepSeen("whoever signs in elsewhere only proves with a mailed code to be there", async ({ scheme, width }) => {
  const name = `hugo-${scheme}`;
  const tab = await open({ scheme, width, height: 800 });
  await signUp(tab, name);
  let proven = false;
  tab.on("response", (response) => { proven ||= response.url().endsWith("/auth/reauthenticate") && response.ok(); });
  await tab.route("**/auth/password", (route) => (proven ? route.continue() : route.fulfill(refused(["provider", "email"]))));
  await tab.getByLabel("New password").fill("correct horse battery");
  await button(tab, "Set a password").click();
  await button(tab, "Sign in with Harbor Office again").waitFor();
  await fine(tab);
  await button(tab, "Mail me a code").click();
  await tab.getByText("on its way to the address of your account").waitFor();
  await fine(tab);
  await button(tab, "Go on").click();
  await tab.getByText("Fill in this field.").waitFor();
  await tab.getByLabel("Code of the mail").fill("0000-0000");
  await button(tab, "Go on").click();
  await tab.getByText("The code is wrong, or the account asks for another proof.").waitFor();
  await fine(tab);
  await tab.getByLabel("Code of the mail").fill((await mailed(`${name}@example.org`)).toLowerCase().replace("-", " "));
  await button(tab, "Go on").click();
  await tab.getByText("Your password is changed.").waitFor(); // what was begun goes on
  await tab.end();
});

// boss makes an administrator who signs in at the office only.
const boss = async (tab, name) => {
  await signUp(tab, name);
  const token = await adminToken(stoa);
  const { body } = await call(stoa, "GET", `/api/v1/admin/users?q=${name}`, { token });
  const answer = await call(stoa, "PATCH", `/api/v1/admin/users/${body.data.items[0].id}`, { token, body: { role: "ADMIN" } });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
};

sweepSeen("an administrator proves to the console with a mailed code, and at the provider, to be there", async ({ scheme, width }) => {
  const name = `boss-${scheme}`;
  const tab = await open({ scheme, width, height: 800 });
  await tell("office", "Harbor Office", office, true, { staff: true });
  await boss(tab, name);
  await tab.goto("/console/settings");
  await tab.getByLabel("E-mail for help").waitFor();
  let proven = false;
  tab.on("response", (response) => {
    proven ||= ["/auth/reauthenticate", "/auth/oidc/complete"].some((path) => response.url().endsWith(path)) && response.ok();
  });
  await tab.route("**/api/v1/admin/settings", (route) =>
    (route.request().method() !== "PATCH" || proven ? route.continue() : route.fulfill(refused(["provider", "email"]))));
  const save = async (address) => {
    await tab.getByLabel("E-mail for help").fill(address);
    await button(tab, "Save settings").click();
  };
  const dialog = tab.getByRole("dialog", { name: "Are you still there?" });
  await save(`${scheme}@example.org`);
  await button(dialog, "Sign in with Harbor Office again").waitFor();
  await accessible(tab);
  await button(dialog, "Mail me a code").click();
  await dialog.getByText("on its way to the address of your account").waitFor();
  await accessible(tab);
  await dialog.getByLabel("Code of the mail").fill("0000-0000");
  await button(dialog, "Go on").click();
  await dialog.getByText("This code is wrong.").waitFor();
  await accessible(tab);
  await dialog.getByLabel("Code of the mail").fill(await mailed(`${name}@example.org`));
  await button(dialog, "Go on").click();
  await tab.getByText("The settings are saved.").waitFor();

  proven = false;
  await save(`again-${scheme}@example.org`);
  // The page is at that address already: what it waits for is the way there and back.
  const completed = tab.waitForResponse((response) => response.url().endsWith("/auth/oidc/complete"));
  await button(dialog, "Sign in with Harbor Office again").click();
  await completed;
  await tab.waitForURL((url) => url.pathname === "/console/settings");
  await tab.getByLabel("E-mail for help").waitFor();
  assert.ok(proven, "the way to the provider proved nothing");
  await save(`again-${scheme}@example.org`);
  await tab.getByText("The settings are saved.").waitFor();
  await tell("office", "Harbor Office", office, true);
  await tab.end();
});

sweepSeen("whoever may not come in by a provider is told why", async ({ scheme, width }) => {
  const tab = await open({ scheme, width, height: 800 });
  await boss(tab, `chief-${scheme}`);
  // Becoming staff ended the session, which began in a way that is not for staff.
  await tab.goto("/account/sign-in");
  await tab.getByLabel("E-mail").waitFor();
  await enter(tab, "Harbor Office", office, person(`chief-${scheme}`));
  await tab.getByText("Staff cannot sign in this way.").waitFor();
  await fine(tab);
  await tell("office", "Harbor Office", office, true, { signUp: false });
  await enter(tab, "Harbor Office", office, person(`new-${scheme}`));
  await tab.getByText("There is no account for you here").waitFor();
  await fine(tab);
  await tell("office", "Harbor Office", office, true);

  // As of ten providers.
  await signUp(tab, `ivy-${scheme}`);
  await tab.route("**/auth/oidc/complete", (route) => route.fulfill({ status: 409, contentType: "application/json", body: JSON.stringify({
    success: false, error: { code: "TOO_MANY", message: "-" },
  }) }));
  club.person = person(`ivy-${scheme}`);
  await button(tab, "Link Sailing Club").click();
  await tab.getByText("You have ten linked accounts.").waitFor();
  await fine(tab);
  await tab.end();
});

sweep("what does not work says what to do", async () => {
  const tab = await open();
  await enter(tab, "Harbor Office", office, null);
  await tab.getByText("The other site did not confirm who you are.").waitFor();
  await fine(tab);
  await tab.getByRole("main").getByRole("link", { name: "Sign in" }).click();
  await button(tab, "Continue with Harbor Office").waitFor();
  await tab.goto("/sign-in/continue?to=//evil.example");
  await tab.getByText("This took too long, or began in another browser.").waitFor();
  await fine(tab);
  assert.equal(await tab.getByRole("main").getByRole("link", { name: "Sign in" }).getAttribute("href"), "/sign-in?next=%2Flicenses");

  // Somebody's account elsewhere is theirs alone.
  await signUp(tab, "finn");
  await signOut(tab);
  const { email } = await provenAccount("gina", "correct horse battery");
  await signInToShop(tab, { email, password: "correct horse battery" }, "/account/sign-in");
  office.person = person("finn");
  await button(tab, "Link Harbor Office").click();
  await tab.getByText("is linked to an account here already").waitFor();
  await fine(tab);
  await tab.getByRole("link", { name: "Go back" }).click();
  await button(tab, "Link Harbor Office").waitFor();
  await tab.end();
});
