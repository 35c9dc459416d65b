// Instances of plugins: their config, their log, and a plugin's own page.
import assert from "node:assert/strict";
import { plugin } from "./archive.js";
import {
  accessible, adminToken, browser, call, called, focused, install, journey, openConsole, openTab, stoa,
  sweep, test, useStoa,
} from "./kit.js";

let token;
useStoa(null, async () => { token = await adminToken(stoa); });

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

test("an instance is configured with one form; secrets are set, replaced and removed, never shown", async (t) => {
  const { defaultInstance: { installationId } } = await install(token, plugin({ slug: "mailer", name: "Mailer", configSchema: schema }));
  const read = async () => (await call(stoa, "GET", `/api/v1/admin/plugins/mailer/instances/${installationId}`, { token })).body.data;
  const tab = await openConsole(`/console/plugins/mailer/${installationId}`);
  const way = journey(tab);
  await tab.getByLabel("Sender").fill("shop@example.com");
  await way.click(tab.getByRole("button", { name: "Enter Service key" }));
  await tab.getByRole("textbox", { name: "Service key" }).fill("k-sesame");
  await tab.getByRole("textbox", { name: "Copies" }).fill("3");
  await tab.getByRole("textbox", { name: "Ratio" }).fill("0.5");
  await way.click(tab.getByRole("button", { name: "Add an entry to Also send to" }));
  await tab.getByLabel("Also send to, entry 1").fill("ada@example.com");
  await tab.getByRole("textbox", { name: "Name" }).fill("Acme");
  await tab.getByRole("textbox", { name: "Rules" }).fill('{"a": [1, 2]');
  await tab.getByRole("button", { name: "Save configuration" }).click();
  await focused(tab.getByRole("textbox", { name: "Rules" })); // the field that cannot be read
  await tab.getByRole("textbox", { name: "Rules" }).fill('{"a": [1, 2]}');
  await way.click(tab.getByRole("button", { name: "Save configuration" }));
  await tab.getByText("The config of Mailer is saved. The instance is still disabled.").hover(); // it stays
  t.diagnostic(`${way.clicks()} clicks, ${way.screens()} screen, 1 form`);
  assert.deepEqual([way.clicks(), way.screens()], [3, 1]);
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
  await focused(tab.getByLabel("Sender"));
  await accessible(tab, "a form with faults");
  await tab.getByRole("button", { name: "Leave as it is" }).click();
  await tab.getByLabel("Sender").fill("desk@example.com");
  await tab.getByRole("button", { name: "Save configuration" }).click();
  await tab.getByText("Mailer is configured.").waitFor();
  assert.equal((await read()).configMeta.secretFields.apiKey.configured, true);
  assert.ok(!(await tab.content()).includes("k-sesame"), "the secret is in the page");
  await tab.end();
});

sweep("a plugin that lacks configuration says what, and leads to the form; so does Enable", async () => {
  const { defaultInstance: { installationId } } = await install(token, plugin({ slug: "labels", name: "Labels", configSchema: schema }));
  const at = `/console/plugins/labels/${installationId}`;
  const tab = await openConsole("/console/plugins");
  await tab.getByRole("row", { name: /Labels/ }).getByText("Needs configuration").waitFor();
  await tab.getByRole("link", { name: "Labels" }).click();
  const note = tab.getByRole("region", { name: "default needs configuration" });
  await note.getByText("Sender, Service key.").waitFor();
  await accessible(tab, "a plugin that lacks configuration");
  await note.getByRole("link", { name: "Go to the form" }).click();
  await tab.getByLabel("Sender").waitFor();

  // Enable cannot do what it says, and says so before anything is sent.
  await tab.goto(`${at}?view=log`);
  await tab.getByRole("button", { name: "Enable" }).click();
  const dialog = tab.getByRole("dialog");
  await dialog.getByText("Before it can be enabled, these fields need values: Sender, Service key.").waitFor();
  await accessible(tab, "a plugin that cannot be enabled yet");
  assert.ok(!(await dialog.innerText()).includes("config."), "a path is in the dialog");
  await dialog.getByRole("link", { name: "Go to the form" }).click();
  await tab.getByLabel("Sender").fill("shop@example.com");
  await tab.getByRole("button", { name: "Save configuration" }).click();
  await tab.getByText("The config of Labels is saved. Before it can be enabled, this field needs a value: Service key.").waitFor();
  await note.getByText("this field needs a value: Service key.").waitFor();
  await tab.end();
});

sweep("Enable tells at once that a plugin does not start, and the overview names it before its error", async () => {
  const mode = { mode: { type: "string", label: "Mode", required: true } };
  const { defaultInstance: { installationId } } = await install(token, plugin(
    { slug: "tables", name: "Tables", version: "1.4.0", configSchema: mode },
    'export default async function (app, opts) {\n  if (opts.mode === "bad") throw new Error("no such table")\n}\n',
  ));
  const tab = await openConsole(`/console/plugins/tables/${installationId}`);
  await tab.getByLabel("Mode").fill("bad");
  await tab.getByRole("button", { name: "Save configuration" }).click();
  await tab.getByText("The config of Tables is saved.").waitFor();
  await tab.getByRole("main").getByRole("button", { name: "Enable" }).click();
  await tab.getByRole("dialog").getByText("It is started at once, and you are told whether that works.").waitFor();
  await tab.getByRole("dialog").getByRole("button", { name: "Enable" }).click();
  await tab.getByText("Tables (default) is enabled and does not start: Error: no such table").waitFor();
  await tab.getByRole("region", { name: "What is wrong with default" }).getByText("index.js:2").waitFor();
  // What happened to it is on one line of time: by whom, or how it crashed.
  await tab.getByRole("link", { name: "What happened" }).click();
  const history = tab.getByRole("region", { name: "What happened" });
  for (const what of [/Configured · admin@example.com/, /Enabled · admin@example.com/, /Crashed Error: no such table · index.js:2/]) {
    await history.getByRole("listitem").filter({ hasText: what }).first().waitFor();
  }
  await accessible(tab, "the timeline of an instance");
  await tab.goto("/console");
  const lines = tab.getByRole("link", { name: "Tables 1.4.0: Error: no such table" });
  await lines.nth(1).waitFor();
  assert.equal(await lines.count(), 2, "the line of health, and the list of what wants attention");

  await tab.goto(`/console/plugins/tables/${installationId}?view=history`);
  await tab.getByRole("main").getByRole("button", { name: "Restart" }).first().click();
  await tab.getByRole("dialog").getByRole("button", { name: "Restart" }).click();
  await tab.getByText("Tables (default) is enabled and does not start").waitFor();
  await tab.reload();
  await history.getByRole("listitem").filter({ hasText: /Restarted · admin@example.com/ }).waitFor();
  await tab.end();
});

sweep("a config that somebody else changed meanwhile is not overwritten", async () => {
  const { defaultInstance: { installationId } } = await install(token, plugin({ slug: "shared", name: "Shared", configSchema: { greeting: { type: "string", label: "Greeting" } } }));
  const path = `/api/v1/admin/plugins/shared/instances/${installationId}`;
  const tab = await openConsole(`/console/plugins/shared/${installationId}`);
  await tab.getByLabel("Greeting").fill("mine");
  await call(stoa, "PATCH", path, { token, body: { config: { greeting: "theirs" } } });
  await tab.getByRole("button", { name: "Save configuration" }).click();
  await tab.getByText("Somebody else changed this instance").waitFor();
  assert.equal((await call(stoa, "GET", path, { token })).body.data.config.greeting, "theirs");
  await tab.end();
});

sweep("the log is followed live, filtered and paused", async () => {
  const { defaultInstance: { installationId } } = await install(token, plugin({ slug: "chatty", name: "Chatty" }));
  const tab = await openConsole(`/console/plugins/chatty/${installationId}?view=log`);
  const log = tab.getByRole("log");
  await tab.getByText("Live", { exact: true }).waitFor();
  await called(stoa, "/api/v1/shop/plugins/chatty/api/hello");
  await log.getByText("somebody said hello").waitFor();
  await tab.getByLabel("Filter the log").fill("hello");
  await log.getByText("plugin process ready").waitFor({ state: "detached" });
  await accessible(tab, "the log");
  await tab.getByRole("button", { name: "Pause" }).click();
  await tab.getByText("Paused", { exact: true }).waitFor();
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
  const { defaultInstance: { installationId } } = await install(token, plugin({ slug: "paged", name: "Paged", adminUi: { entryPath: "/admin/", label: "Its rates", icon: "truck" } }, program));
  const tab = await openConsole(`/console/plugins/paged/${installationId}`);
  for (const refused of ["Content Security Policy", "violates", "Failed to read", "Blocked a frame", "Access is denied"]) tab.expect(refused);
  tab.expect("Failed to execute 'postMessage'"); // axe-core's to the frame, which the headless shell tells
  await called(stoa, "/api/v1/admin/plugins/paged/admin/", { token });
  await tab.getByRole("link", { name: "Its rates" }).click();
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

sweep("a plugin signs visitors in with cookies of its own, once its pages are the shop's", async () => {
  const program = `export default async function (app) {
  app.addContentTypeParser("application/x-www-form-urlencoded", { parseAs: "string" }, (request, body, done) => done(null, {}))
  const page = (request, reply) => reply.type("text/html").send('<!doctype html><title>Till</title><p id="who">' + (request.headers.cookie ?? "nobody") + '</p><form method="post" action="login"><button>Sign in</button></form><form method="post" action="pay"><button>Pay</button></form>')
  app.get("/api/till", page)
  app.post("/api/pay", page)
  app.post("/api/login", async (request, reply) => reply.header("set-cookie", ["session=ada; Path=/; HttpOnly; Domain=localhost", "stoa-refresh=mine; Path=/auth"]).redirect("till", 303))
}
`;
  const { defaultInstance: { installationId } } = await install(token, plugin({ slug: "till", name: "Till" }, program));
  const allow = (settings) => call(stoa, "PATCH", "/api/v1/admin/plugins/till", { token, body: settings });
  const tab = await openConsole("/console/plugins/till?view=settings"); // a session of the shop's own is there, too
  const note = tab.getByText("send no cookies from their forms and scripts");
  assert.equal(await note.count(), 0);
  await tab.getByRole("switch", { name: "Have cookies of its own" }).click({ force: true });
  await note.waitFor();
  await accessible(tab, "settings of a plugin with logins");
  await tab.getByRole("button", { name: "Save settings" }).click();
  await tab.getByText("are saved").first().waitFor();
  const shop = await openTab(browser, stoa, { context: tab.context() });
  const who = shop.locator("#who");
  const open = async () => { await shop.goto("/api/v1/shop/plugins/till/api/till"); return who.innerText(); };
  const press = async (name) => {
    await Promise.all([shop.waitForEvent("load"), shop.getByRole("button", { name }).click()]); // of the page that answers
    return who.innerText();
  };
  await called(stoa, "/api/v1/shop/plugins/till/api/till");
  assert.equal(await open(), "nobody");
  await press("Sign in");
  assert.equal(await open(), "session=ada", "whoever opens the page is known");
  assert.equal(await press("Pay"), "nobody", "but not by a form of the page in its sandbox");

  await allow({ allowSameOrigin: true });
  await called(stoa, "/api/v1/shop/plugins/till/api/till"); // in a new process
  assert.equal(await open(), "session=ada");
  assert.equal(await press("Pay"), "session=ada");
  const { createHash } = await import("node:crypto");
  const digits = createHash("sha256").update(installationId).digest("hex").slice(0, 12);
  const cookies = (await tab.context().cookies()).filter(({ name }) => !/^(__[a-z]+-)?stoa/i.test(name));
  assert.deepEqual(cookies.map(({ name, path, sameSite, httpOnly }) => [name, path, sameSite, httpOnly]).sort(), [
    [`p-${digits}-session`, "/api/v1/shop/plugins/till/", "Lax", true],
    [`p-${digits}-stoa-refresh`, "/api/v1/shop/plugins/till/auth", "Lax", false],
  ]);
  await tab.reload();
  await tab.getByRole("heading", { name: "Till" }).first().waitFor(); // still signed in to the shop
  await shop.end();
  await tab.end();
});
