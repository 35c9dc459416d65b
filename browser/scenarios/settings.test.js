// The console's Settings and Overview.
import assert from "node:assert/strict";
import { plugin } from "./archive.js";
import {
  accessible, adminToken, browser, call, journey, openConsole, openTab, settled, signInToConsole, startStoa, stoa,
  sweep, sweepSeen, test, useStoa,
} from "./kit.js";

useStoa();

test("the shop's name is changed, and two administrators do not overwrite each other", async () => {
  const tab = await openConsole("/console/settings");
  await tab.getByLabel("Name of the shop").fill("Müller & Söhne");
  await tab.getByLabel("Terms of sale").fill("javascript:alert(1)");
  await tab.getByRole("button", { name: "Save settings" }).click();
  await tab.getByText("Must be an address like https://example.com/terms.").waitFor();
  await tab.getByLabel("Terms of sale").fill("");
  await tab.getByRole("button", { name: "Save settings" }).click();
  await tab.getByText("The settings are saved.").waitFor();

  const token = await adminToken(stoa);
  await tab.getByLabel("E-mail for help").fill("help@example.com");
  await call(stoa, "PATCH", "/api/v1/admin/settings", { token, body: { shopName: "Somebody Else's" } });
  await tab.evaluate(() => { // what was read is old
    const now = Date.now;
    Date.now = () => now() + 60_000;
  });
  const read = tab.waitForResponse((r) => r.url().endsWith("/admin/settings") && r.request().method() === "GET");
  await tab.evaluate(() => dispatchEvent(new Event("visibilitychange")));
  await read;
  await settled(tab);
  assert.equal(await tab.getByLabel("E-mail for help").inputValue(), "help@example.com", "somebody else's change took away what was typed");
  await tab.getByRole("button", { name: "Save settings" }).click();
  await tab.getByRole("alert").waitFor();
  const { body } = await call(stoa, "GET", "/api/v1/admin/settings", { token });
  assert.equal(body.data.shopName, "Somebody Else's");
  await tab.end();
});

sweep("keys are rotated after their effects were named", async () => {
  const tab = await openConsole("/console/settings/keys");
  await tab.getByRole("button", { name: "Rotate keys" }).first().click();
  const dialog = tab.getByRole("dialog");
  await dialog.getByText("nobody is signed out").waitFor();
  await dialog.getByRole("button", { name: "Rotate keys" }).click();
  await tab.getByText("Done. The table shows which key signs now.").waitFor();
  await tab.end();
});

// askingFor has a request refused as by a stoa that asks administrators for a proof to be there, until they gave it.
const askingFor = async (tab, path, method, methods) => {
  let proven = false;
  tab.on("response", (response) => { proven ||= response.url().endsWith("/auth/reauthenticate") && response.ok(); });
  const error = { code: "REAUTHENTICATION_REQUIRED", message: "This needs a recent sign-in.", details: { methods, maxAge: 60 } };
  await tab.route(`**${path}`, (route) => route.request().method() !== method || proven
    ? route.continue()
    : route.fulfill({ status: 403, contentType: "application/json", body: JSON.stringify({ success: false, error }) }));
};

sweepSeen("a change that asks for a proof to be there goes on after it", async ({ scheme, width }) => {
  const tab = await openConsole("/console/settings", { scheme, width });
  await askingFor(tab, "/api/v1/admin/settings", "PATCH", ["password"]);
  const dialog = tab.getByRole("dialog", { name: "Are you still there?" });
  await tab.getByLabel("E-mail for help").fill(`${scheme}@example.com`);
  await tab.getByRole("button", { name: "Save settings" }).click();
  await dialog.waitFor();
  await accessible(tab);
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await tab.getByText("This needs a recent sign-in.").waitFor();
  await tab.getByRole("button", { name: "Save settings" }).click();
  await tab.waitForFunction(() => document.activeElement?.closest("[role=dialog] label, [role=dialog] form input"));
  await tab.keyboard.type("wrong");
  await tab.keyboard.press("Enter");
  await dialog.getByText("The password is wrong.").waitFor();
  await accessible(tab);
  await dialog.getByLabel("Your password").fill(stoa.admin.password);
  await dialog.getByRole("button", { name: "Go on" }).click();
  await tab.getByText("The settings are saved.").waitFor();
  const { body } = await call(stoa, "GET", "/api/v1/admin/settings", { token: await adminToken(stoa) });
  assert.equal(body.data.supportEmail, `${scheme}@example.com`);
  await tab.end();
});

sweep("whoever does not prove to be there finds the dialog below as it was", async () => {
  const tab = await openConsole("/console/settings/keys");
  await askingFor(tab, "/api/v1/admin/keys/rotate", "POST", ["totp", "recovery"]);
  await tab.getByRole("button", { name: "Rotate keys" }).first().click();
  await tab.getByRole("dialog").getByRole("button", { name: "Rotate keys" }).click();
  const proof = tab.getByRole("dialog", { name: "Are you still there?" });
  await proof.getByLabel("Code of your app").waitFor();
  await accessible(tab);
  await proof.getByRole("button", { name: "Use a recovery code" }).click();
  await proof.getByLabel("Recovery code").waitFor();
  await tab.keyboard.press("Escape");
  await proof.waitFor({ state: "detached" });
  await tab.getByRole("dialog").getByText("This needs a recent sign-in.").waitFor();
  await tab.keyboard.press("Escape");
  await tab.getByRole("dialog").waitFor({ state: "detached" });
  await tab.end();
});

// concerned waits until the overview names something that is broken.
const concerned = async (token, name) => {
  let body;
  for (const end = Date.now() + 120_000; Date.now() < end; await new Promise((resolve) => { setTimeout(resolve, 50); })) {
    ({ body } = await call(stoa, "GET", "/api/v1/admin/overview", { token }));
    if (JSON.stringify(body.data?.attention).includes(name)) return;
  }
  throw new Error(`the overview does not name ${name}: ${JSON.stringify(body)}`);
};

test("the overview leads to what is broken in two clicks", async () => {
  const token = await adminToken(stoa);
  await call(stoa, "POST", "/api/v1/admin/webhooks", { token, body: { url: "http://127.0.0.1:9/gone", events: ["order.*"] } });
  await call(stoa, "POST", "/api/marketplace/products/mail-courier/purchase", { body: { tierId: "pro", paymentMethod: "card" } });
  await concerned(token, "127.0.0.1:9");
  const tab = await openConsole();
  const way = journey(tab);
  await tab.getByText("€29").or(tab.getByText("€")).first().waitFor();
  const concern = tab.getByRole("link", { name: /The webhook at 127\.0\.0\.1/ });
  await concern.waitFor();
  await way.click(concern);
  await tab.getByText(/connection refused|no answer within/).first().waitFor();
  assert.ok(way.clicks() <= 2 && way.screens() <= 2);
  await tab.end();
});

sweep("the health page says where the files are, and why object storage does not work", async (t) => {
  const admin = { email: "root@example.com", password: "correct horse battery" };
  const secret = "never-show-this-key";
  const remote = await startStoa({
    demo: false,
    env: {
      STOA_ADMIN_EMAIL: admin.email, STOA_ADMIN_PASSWORD: admin.password,
      AWS_ACCESS_KEY_ID: "the-key-id", AWS_SECRET_ACCESS_KEY: secret,
      STOA_STORAGE_URL: "s3://shop/stoa?endpoint=http://127.0.0.1:9&timeout=1s",
    },
  });
  t.after(() => remote.stop());
  const facts = async (shop) => {
    const tab = await openTab(browser, shop);
    await signInToConsole(tab, shop, "/console/settings/health");
    await tab.getByText("This process").waitFor();
    const text = await tab.locator("main").innerText();
    await tab.end();
    return text;
  };
  let away;
  do away = await facts({ ...remote, admin }); while (/did not answer in time/.test(away)); // a busy machine gives up first
  assert.match(away, /Files, in object storage\s+s3:\/\/shop\/stoa\n/);
  assert.ok(away.includes(`Cache of files\n${remote.folder}`) || away.includes(`Cache of files\t${remote.folder}`), away);
  assert.match(away, /Broken\s+Storage .*(refused|no answer)/);
  assert.ok(!away.includes(secret) && !away.includes("the-key-id"), "a credential is shown");
  const here = await facts(stoa);
  assert.match(here, /Files\s+\//);
  assert.ok(!here.includes("object storage"), here);
});

sweep("file types that an archive was refused for are allowed where it was refused, and taken away in the settings", async () => {
  const token = await adminToken(stoa);
  const types = async () => (await call(stoa, "GET", "/api/v1/admin/settings", { token })).body.data.archiveTypes;
  const tab = await openConsole("/console/plugins");
  await tab.getByRole("button", { name: "Install from a file" }).first().click();
  await tab.locator("input[type=file]").setInputFiles({
    name: "typed.zip", mimeType: "application/zip",
    buffer: plugin({ slug: "typed", name: "Typed" }, undefined, { "README.md": "x", "LICENSE": "x" }),
  });
  await tab.getByRole("button", { name: "Install Typed 1.0.0" }).click();
  await tab.getByText("Files of this type are not accepted in the kind plugin").first().waitFor();
  await tab.getByText(".md license").waitFor();
  await accessible(tab, "an archive that is refused for its file types");
  await tab.getByRole("button", { name: "Allow these types and try again" }).click();
  await tab.getByText("Typed 1.0.0 is installed.").waitFor();
  assert.deepEqual(await types(), { plugin: [".md", "license"] });

  await tab.goto(`${stoa.url}/console/settings/packages`);
  const field = tab.getByLabel("Plugin", { exact: true });
  await field.fill(".md, .node");
  await tab.getByRole("button", { name: "Save file types" }).click();
  await tab.getByText("such files can be executed, and packages must not contain them").waitFor();
  await field.fill("");
  await tab.getByRole("button", { name: "Save file types" }).click();
  await tab.getByText("The file types are saved.").waitFor();
  assert.deepEqual(await types(), {});
});
