// What an operator does with plugins: find out why one is broken, install and upgrade from
// a file, configure, follow the log. Each job is counted.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { archive, plugin } from "./archive.js";
import { accessibilityFaults, adminToken, call, journey, launch, openTab, scrollsSideways, settled, signInToConsole, startStoa } from "./kit.js";

let stoa, browser, token;
before(async () => {
  stoa = await startStoa();
  browser = await launch();
  token = await adminToken(stoa);
});
after(async () => {
  await browser?.close();
  await stoa?.stop();
});

const install = async (body, kind = "plugin") => {
  const { status, body: answer } = await call(stoa, "POST", `/api/v1/admin/extensions/${kind}/install`, { token, body, type: "application/zip" });
  assert.ok(status === 200 || status === 201, JSON.stringify(answer));
  return answer.data;
};

const choose = async (tab, name, buffer) => {
  await tab.locator("input[type=file]").setInputFiles({ name, mimeType: "application/zip", buffer });
  await tab.getByRole("combobox", { name: "Kind" }).waitFor();
};

const accessible = async (tab, what) => {
  assert.deepEqual(await accessibilityFaults(tab), [], what);
  assert.ok(await scrollsSideways(tab) <= 0, `${what} is wider than its window`);
};

test("a broken plugin: which, since when, why and what the shopper sees, in two clicks", async () => {
  await install(plugin(
    { slug: "tax-tables", name: "Tax tables" }, 'import { rates } from "./rates.js"\nexport default async function (app) { app.get("/api/rates", async () => rates) }\n',
    { "rates.js": "const table = undefined\nexport const rates = table.map((r) => r / 100)\n" },
  ));
  const tab = await openTab(browser, stoa);
  await signInToConsole(tab, stoa);
  const job = journey(tab);
  await job.click(tab.getByRole("link", { name: "Plugins", exact: true }));
  await tab.getByText("Does not start").waitFor();
  await job.click(tab.getByRole("link", { name: "Tax tables" }));
  const cause = tab.getByRole("region", { name: "What is wrong with default" });
  await cause.waitFor();
  const said = await cause.innerText();
  for (const part of ["rates.js:2", "Cannot read properties of undefined", "Since", "What a shopper sees", "404", "Enable", "Roll back"]) {
    assert.ok(said.includes(part), `${part} is missing in: ${said}`);
  }
  assert.equal(job.clicks(), 2);
  await accessible(tab, "the page of a broken plugin");
  await tab.end();
});

test("an archive is refused with every fault at its place", async () => {
  const tab = await openTab(browser, stoa);
  await signInToConsole(tab, stoa, "/console/plugins");
  await tab.getByRole("button", { name: "Install from a file" }).click();
  await choose(tab, "bad.zip", plugin({ slug: "Bad Slug", version: "1" }, "", { "tools/run.sh": "x", "../up.js": "x" }));
  await tab.getByRole("button", { name: /^Install Greeter/ }).click();
  const faults = tab.getByRole("alert");
  await faults.waitFor();
  assert.match(await faults.innerText(), /tools\/run\.sh[\s\S]*\.\.\/up\.js/);
  await accessible(tab, "the faults of an archive");
  await tab.getByRole("button", { name: "Choose another" }).click();
  await choose(tab, "bad.zip", plugin({ slug: "Bad Slug", version: "1" }));
  await tab.getByRole("button", { name: /^Install Greeter/ }).click();
  await faults.waitFor();
  assert.match(await faults.innerText(), /slug[\s\S]*version/);
  await tab.end();
});

test("install, upgrade with consent, a failed upgrade and a rollback, each in one dialog", async () => {
  const tab = await openTab(browser, stoa);
  await signInToConsole(tab, stoa, "/console/plugins");
  const job = journey(tab);
  await job.click(tab.getByRole("button", { name: "Install from a file" }));
  await choose(tab, "greeter.zip", plugin({ permissions: ["products:read"] }));
  await tab.getByText("Read products, with drafts.").waitFor();
  await job.click(tab.getByRole("button", { name: "Install Greeter 1.0.0" }));
  await tab.getByText("Greeter 1.0.0 is installed.").waitFor();
  await job.click(tab.getByRole("button", { name: "Open Greeter" }));
  await tab.getByRole("heading", { level: 1, name: "Greeter" }).waitFor();
  assert.equal(job.clicks(), 3);

  // An upgrade asks for more, and gets only what is granted.
  await tab.getByRole("button", { name: "Upgrade from a file" }).click();
  await choose(tab, "greeter.zip", plugin({ version: "1.1.0", permissions: ["products:read", "orders:read", "users:read"] }));
  await tab.getByRole("button", { name: "Install Greeter 1.1.0" }).click();
  await tab.getByText("Greeter was upgraded from 1.0.0 to 1.1.0.").waitFor();
  await accessible(tab, "the consent to permissions");
  await tab.getByLabel("orders:read").check();
  await tab.getByRole("button", { name: "Grant 1 permission" }).click();
  await tab.getByText("Granted to 1 instance.").waitFor();
  const { body } = await call(stoa, "GET", "/api/v1/admin/plugins/greeter/instances", { token });
  assert.deepEqual(body.data.items[0].grantedPermissions.toSorted(), ["orders:read", "products:read"]);

  // A version that does not start changes nothing, and says why.
  await tab.getByRole("button", { name: "Upgrade from a file" }).click();
  await choose(tab, "greeter.zip", plugin({ version: "1.2.0" }, "export default async function () {\n  throw new Error('no such table')\n}\n"));
  await tab.getByRole("button", { name: "Install Greeter 1.2.0" }).click();
  await tab.getByRole("alert").getByText("no such table").waitFor();
  assert.match(await tab.getByRole("alert").innerText(), /index\.js:2/);
  await tab.getByRole("button", { name: "Cancel" }).click();

  await tab.getByRole("button", { name: "More actions" }).click();
  await tab.getByRole("menuitem", { name: /Roll back/ }).click();
  await tab.getByRole("button", { name: "Roll back" }).click();
  await tab.getByText("Greeter is back at the version before.").waitFor();
  assert.equal((await call(stoa, "GET", "/api/v1/admin/plugins/greeter", { token })).body.data.version, "1.0.0");
  await tab.end();
});

test("a dropped file opens the dialog, and an upload can be stopped", async () => {
  const tab = await openTab(browser, stoa);
  await signInToConsole(tab, stoa, "/console/plugins");
  await tab.route("**/install", (route) => setTimeout(() => route.continue().catch(() => {}), 60_000));
  const bytes = [...plugin({ slug: "dropped", name: "Dropped" })];
  const files = await tab.evaluateHandle((data) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([new Uint8Array(data)], "dropped.zip", { type: "application/zip" }));
    return transfer;
  }, bytes);
  await tab.dispatchEvent("body", "dragover", { dataTransfer: files });
  await tab.getByText("Drop the archive to install it").waitFor();
  await tab.dispatchEvent("body", "drop", { dataTransfer: files });
  await tab.getByRole("button", { name: "Install Dropped 1.0.0" }).click();
  await tab.getByRole("button", { name: "Stop the upload" }).click();
  await tab.getByRole("button", { name: "Install Dropped 1.0.0" }).waitFor();
  assert.equal((await call(stoa, "GET", "/api/v1/admin/plugins/dropped", { token })).status, 404);
  await tab.end();
});

const schema = {
  sender: { type: "email", label: "Sender", required: true, description: "Where it comes from." },
  apiKey: { type: "secret", label: "Service key", required: true },
  hookKey: { type: "secret", label: "Hook key" },
  copies: { type: "integer", label: "Copies", default: 2 },
  ratio: { type: "number", label: "Ratio" },
  keep: { type: "boolean", label: "Keep a copy", default: true },
  paper: { type: "string", label: "Paper", enum: ["A4", "Letter"], default: "A4" },
  also: { type: "array", label: "Also send to", items: { type: "string" } },
  company: { type: "object", label: "Company", properties: { name: { type: "string", label: "Name", required: true }, site: { type: "url", label: "Site" } } },
  rules: { type: "mapping", label: "Rules" },
};

test("an instance is configured with one form; secrets are set, replaced and removed, never shown", async () => {
  const { defaultInstance: { installationId } } = await install(plugin({ slug: "mailer", name: "Mailer", configSchema: schema }));
  const read = async () => (await call(stoa, "GET", `/api/v1/admin/plugins/mailer/instances/${installationId}`, { token })).body.data;
  const tab = await openTab(browser, stoa);
  await signInToConsole(tab, stoa, `/console/plugins/mailer/${installationId}`);
  await tab.getByLabel("Sender").fill("shop@example.com");
  await tab.getByRole("button", { name: "Enter Service key" }).click();
  await tab.getByRole("textbox", { name: "Service key" }).fill("k-sesame");
  await tab.getByRole("textbox", { name: "Copies" }).fill("3");
  await tab.getByRole("textbox", { name: "Ratio" }).fill("0.5");
  await tab.getByRole("button", { name: "Add an entry to Also send to" }).click();
  await tab.getByLabel("Also send to, entry 1").fill("ada@example.com");
  await tab.getByRole("textbox", { name: "Name" }).fill("Acme");
  await tab.getByRole("textbox", { name: "Rules" }).fill('{"a": [1, 2]');
  await tab.getByRole("button", { name: "Save configuration" }).click();
  assert.equal(await tab.getByRole("textbox", { name: "Rules" }).evaluate((el) => el === document.activeElement), true, "the field that cannot be read has the focus");
  await tab.getByRole("textbox", { name: "Rules" }).fill('{"a": [1, 2]}');
  await tab.getByRole("button", { name: "Save configuration" }).click();
  await tab.getByText("The config of Mailer is saved. The instance is still disabled.").waitFor();
  const saved = await read();
  assert.deepEqual(saved.config, {
    sender: "shop@example.com", apiKey: "", copies: 3, ratio: 0.5, keep: true, paper: "A4", also: ["ada@example.com"], company: { name: "Acme" }, rules: { a: [1, 2] },
  });
  assert.deepEqual(saved.configMeta.secretFields, { apiKey: { configured: true }, hookKey: { configured: false } });

  // Enabled, the form asks for what is required, and a kept secret stays.
  await tab.getByRole("status").getByRole("button", { name: "Enable" }).click();
  await tab.getByText("Mailer (default) is enabled.").waitFor();
  await tab.getByRole("button", { name: "Restart" }).waitFor();
  await tab.getByLabel("Sender").fill("");
  await tab.getByRole("button", { name: "Remove Service key" }).click();
  await tab.getByRole("button", { name: "Save configuration" }).click();
  assert.equal(await tab.getByText("This is required.").count(), 2);
  assert.equal(await tab.getByLabel("Sender").evaluate((el) => el === document.activeElement), true);
  await accessible(tab, "a form with faults");
  await tab.getByRole("button", { name: "Leave as it is" }).click();
  await tab.getByLabel("Sender").fill("desk@example.com");
  await tab.getByRole("button", { name: "Save configuration" }).click();
  await tab.getByText("Mailer is configured.").waitFor();
  assert.equal((await read()).configMeta.secretFields.apiKey.configured, true);
  assert.ok(!(await tab.content()).includes("k-sesame"), "the secret is in the page");
  await tab.end();
});

test("a config that somebody else changed meanwhile is not overwritten", async () => {
  const { defaultInstance: { installationId } } = await install(plugin({ slug: "shared", name: "Shared", configSchema: { greeting: { type: "string", label: "Greeting" } } }));
  const path = `/api/v1/admin/plugins/shared/instances/${installationId}`;
  const tab = await openTab(browser, stoa);
  await signInToConsole(tab, stoa, `/console/plugins/shared/${installationId}`);
  await tab.getByLabel("Greeting").fill("mine");
  await call(stoa, "PATCH", path, { token, body: { config: { greeting: "theirs" } } });
  await tab.getByRole("button", { name: "Save configuration" }).click();
  await tab.getByText("Somebody else changed this instance").waitFor();
  assert.equal((await call(stoa, "GET", path, { token })).body.data.config.greeting, "theirs");
  await tab.end();
});

test("the log is followed live, filtered and paused", async () => {
  const { defaultInstance: { installationId } } = await install(plugin({ slug: "chatty", name: "Chatty" }));
  const tab = await openTab(browser, stoa);
  await signInToConsole(tab, stoa, `/console/plugins/chatty/${installationId}?view=log`);
  const log = tab.getByRole("log");
  await tab.getByText("Live", { exact: true }).waitFor();
  await call(stoa, "GET", "/api/v1/shop/plugins/chatty/api/hello");
  await log.getByText("somebody said hello").waitFor();
  await tab.getByLabel("Filter the log").fill("hello");
  await log.getByText("plugin process ready").waitFor({ state: "detached" });
  await accessible(tab, "the log");
  await tab.getByRole("button", { name: "Pause" }).click();
  await tab.getByText("Paused", { exact: true }).waitFor();
  await tab.end();
});

test("what uninstalling does is said before, and can be undone", async () => {
  await install(plugin({ slug: "leaving", name: "Leaving" }));
  const tab = await openTab(browser, stoa);
  await signInToConsole(tab, stoa, "/console/plugins/leaving");
  await tab.getByRole("button", { name: "More actions" }).click();
  await tab.getByRole("menuitem", { name: "Uninstall…" }).click();
  await tab.getByText("Files, config and stored data stay, so you can restore it.").waitFor();
  await accessible(tab, "the confirmation of an uninstall");
  await tab.getByRole("button", { name: "Uninstall Leaving" }).click();
  await tab.getByText("Leaving was uninstalled.").waitFor();
  await tab.getByRole("button", { name: "Restore" }).click();
  await tab.getByText("Leaving is restored.").waitFor();
  assert.equal((await call(stoa, "GET", "/api/v1/admin/plugins/leaving", { token })).status, 200);
  await tab.end();
});

test("a theme is previewed, activated with its config and rolled back", async () => {
  const manifest = { schemaVersion: 1, slug: "dusk", name: "Dusk", target: "shop", entry: "dusk.css", defaultConfig: { tint: "#336699" }, configSchema: { tint: { type: "color", label: "Tint", required: true } } };
  for (const version of ["1.0.0", "1.1.0"]) await install(archive({ "theme.json": { ...manifest, version }, "dusk.css": "body { outline: 1px solid rgb(1, 2, 3) }" }), "theme-shop");
  const active = async () => (await call(stoa, "GET", "/api/v1/admin/themes/shop", { token })).body.data.active;
  const tab = await openTab(browser, stoa);
  await signInToConsole(tab, stoa, "/console/themes");
  await tab.getByRole("link", { name: "Dusk" }).click();
  const looks = tab.frameLocator("iframe").locator("body");
  await looks.waitFor();
  await tab.waitForFunction(() => {
    const page = document.querySelector("iframe")?.contentDocument;
    return page?.body && getComputedStyle(page.body).outlineColor === "rgb(1, 2, 3)" && page.documentElement.style.getPropertyValue("--theme-tint") === "#336699";
  });
  assert.equal(await active(), null, "a preview activates nothing");
  await settled(tab);
  await accessible(tab, "the page of a theme");
  await tab.locator('input[data-path="tint"]').fill("#112233");
  await tab.getByRole("button", { name: "Activate Dusk 1.1.0" }).click();
  await tab.getByText("The shop: Dusk 1.1.0 is shown now.").waitFor();
  assert.deepEqual((await active()).config, { tint: "#112233" });
  await tab.goto("/console/themes");
  await tab.getByRole("button", { name: "Return to the built-in look" }).click();
  await tab.getByRole("dialog").getByRole("button", { name: "Return to the built-in look" }).click();
  await tab.getByText("The shop: the built-in look is back.").waitFor();
  await tab.getByRole("button", { name: "Roll back" }).click();
  await tab.getByRole("button", { name: "Return to Dusk 1.1.0" }).click();
  await tab.getByText("The shop: Dusk 1.1.0 is shown now.").waitFor();
  assert.equal((await active()).version, "1.1.0");
  await tab.end();
});

test("a theme app that is not well is not activated, and says why", async () => {
  const app = { schemaVersion: 1, slug: "sick", name: "Sick", version: "1.0.0", target: "shop", runtime: { entry: "server.js" }, healthCheck: { path: "/health" } };
  await install(archive({
    "theme-app.json": app, "package.json": { type: "module" },
    "server.js": 'import http from "node:http"\nhttp.createServer((q, r) => { r.statusCode = 500; r.end() }).listen(process.env.PORT, process.env.HOST)\n',
  }), "theme-app-shop");
  const tab = await openTab(browser, stoa);
  tab.setDefaultTimeout(120_000);
  await signInToConsole(tab, stoa, "/console/themes/theme-app-shop/sick");
  await tab.getByRole("button", { name: "Activate Sick 1.0.0" }).click();
  await tab.getByRole("alert").getByText("GET /health").waitFor();
  await tab.end();
});

const adminPage = `<!doctype html><title>Page</title><link rel="stylesheet" href="look.css"><h1>Greetings</h1><p id="said">nothing</p><ul id="tries"></ul><script src="page.js" defer></script>`;
const adminScript = `
const tell = (name, outcome) => { const li = document.createElement("li"); li.textContent = name + ": " + outcome; tries.append(li) };
const attempt = async (name, run) => { try { tell(name, await run()) } catch { tell(name, "refused") } };
(async () => {
  said.textContent = JSON.stringify(await (await fetch("said", { method: "POST", headers: { "Content-Type": "application/json", "X-Installation-ID": "other" }, body: '{"a":1}' })).json());
  await attempt("parent", () => parent.document.title);
  await attempt("storage", () => localStorage.length);
  await attempt("another path", async () => (await fetch("/health")).status);
  await attempt("above", async () => (await fetch("/admin/../health")).status);
  await attempt("another host", async () => (await fetch("http://127.0.0.1:9/admin/x")).status);
  await attempt("another API of stoa", async () => (await fetch("/api/v1/admin/users")).status);
  await attempt("XMLHttpRequest", () => new Promise((resolve, reject) => { const x = new XMLHttpRequest(); x.onload = () => resolve(x.status); x.onerror = reject; x.open("GET", "/api/v1/shop/settings"); x.send() }));
  tell("end", "reached");
})();
`;

test("a plugin's own page runs in the console without a token, and reaches its plugin only", async () => {
  const program = `export default async function (app) {
  const page = ${JSON.stringify(adminPage)}, script = ${JSON.stringify(adminScript)}
  app.get("/admin/", async (request, reply) => reply.type("text/html").send(page))
  app.get("/admin/page.js", async (request, reply) => reply.type("text/javascript").send(script))
  app.get("/admin/look.css", async (request, reply) => reply.type("text/css").send("h1 { color: rgb(1, 2, 3) }"))
  app.post("/admin/said", async (request) => ({ caller: request.headers["x-caller"], key: request.headers["x-installation-key"], token: request.headers.authorization ?? null, body: request.body }))
}
`;
  const { defaultInstance: { installationId } } = await install(plugin({ slug: "paged", name: "Paged", adminUi: "/admin/" }, program));
  const tab = await openTab(browser, stoa);
  for (const refused of ["Content Security Policy", "violates", "Failed to read", "Blocked a frame", "Access is denied"]) tab.expect(refused);
  await signInToConsole(tab, stoa, `/console/plugins/paged/${installationId}`);
  await tab.getByRole("link", { name: "Open its own page" }).click();
  const page = tab.frameLocator("iframe");
  await page.getByText("end: reached").waitFor();
  assert.deepEqual(JSON.parse(await page.locator("#said").innerText()), { caller: "admin", key: "default", token: null, body: { a: 1 } });
  assert.equal(await page.locator("h1").evaluate((el) => getComputedStyle(el).color), "rgb(1, 2, 3)");
  const tries = Object.fromEntries((await page.locator("#tries li").allInnerTexts()).map((line) => line.split(": ")));
  for (const name of ["parent", "storage", "another path", "above", "another host", "XMLHttpRequest"]) assert.equal(tries[name], "refused", name);
  assert.equal(tries["another API of stoa"], "404", "an address of stoa is one of the plugin's, which has none");
  await accessible(tab, "a plugin's own page");
  await tab.end();
});
