// What an operator does with plugins: find out why one is broken, install and upgrade from
// a file, uninstall and restore. Each job is counted.
import assert from "node:assert/strict";
import { plugin } from "./archive.js";
import { accessible, adminToken, call, install, journey, openConsole, stoa, sweep, test, useStoa } from "./kit.js";

let token;
useStoa(null, async () => { token = await adminToken(stoa); });

const choose = async (tab, name, buffer) => {
  await tab.locator("input[type=file]").setInputFiles({ name, mimeType: "application/zip", buffer });
  await tab.getByRole("combobox", { name: "Kind" }).waitFor();
};

test("a broken plugin: which, since when, why and what the shopper sees, in two clicks", async () => {
  await install(token, plugin(
    { slug: "tax-tables", name: "Tax tables" }, 'import { rates } from "./rates.js"\nexport default async function (app) { app.get("/api/rates", async () => rates) }\n',
    { "rates.js": "const table = undefined\nexport const rates = table.map((r) => r / 100)\n" },
  ));
  const tab = await openConsole();
  const job = journey(tab);
  await job.click(tab.getByRole("link", { name: "Plugins", exact: true }));
  await tab.getByText("Does not start", { exact: true }).waitFor();
  await job.click(tab.getByRole("link", { name: "Tax tables" }));
  const cause = tab.getByRole("region", { name: "What is wrong with default" });
  await cause.waitFor();
  const said = await cause.innerText();
  for (const part of ["rates.js:2", "Cannot read properties of undefined", "Since", "What a shopper sees", "404", "Enable"]) {
    assert.ok(said.includes(part), `${part} is missing in: ${said}`);
  }
  assert.ok(!said.includes("Roll back"), "there is no version to go back to");
  assert.equal(job.clicks(), 2);
  await accessible(tab, "the page of a broken plugin");
  await tab.end();
});

test("an archive is refused with every fault at its place", async () => {
  const tab = await openConsole("/console/plugins");
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
  const tab = await openConsole("/console/plugins");
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
  await tab.getByRole("button", { name: "Roll back to 1.0.0" }).click();
  await tab.getByText("Greeter is back at 1.0.0.").waitFor();
  assert.equal((await call(stoa, "GET", "/api/v1/admin/plugins/greeter", { token })).body.data.version, "1.0.0");

  // An older archive is recognized before it is sent.
  await install(token, plugin({ version: "1.10.0" }));
  await tab.reload();
  await tab.getByRole("button", { name: "Upgrade from a file" }).click();
  await choose(tab, "greeter.zip", plugin({ version: "1.9.0" }));
  await tab.getByText("Version 1.10.0 is installed. 1.9.0 is older").waitFor();
  assert.equal(await tab.getByRole("button", { name: "Install Greeter 1.9.0" }).isDisabled(), true);
  await accessible(tab, "an older archive");
  await tab.getByRole("button", { name: "Cancel" }).click();
  await tab.end();
});

sweep("a dropped file opens the dialog, and an upload can be stopped", async () => {
  const tab = await openConsole("/console/plugins");
  await tab.route("**/install", () => {}); // it never arrives
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

sweep("what uninstalling does is said before, and can be undone", async () => {
  await install(token, plugin({ slug: "leaving", name: "Leaving" }));
  const tab = await openConsole();
  await tab.clock.install();
  await tab.goto("/console/plugins/leaving");
  await tab.getByRole("button", { name: "More actions" }).click();
  await tab.getByRole("menuitem", { name: "Uninstall…" }).click();
  await tab.getByText("Files, config and stored data stay, so you can restore it.").waitFor();
  await accessible(tab, "the confirmation of an uninstall");
  await tab.getByRole("button", { name: "Uninstall Leaving" }).click();
  await tab.getByText("Leaving was uninstalled.").hover();
  await tab.clock.fastForward(60_000); // it stays while it is pointed at
  await tab.getByRole("button", { name: "Restore" }).click();
  const restored = tab.getByText("Leaving is restored.");
  await restored.waitFor();
  await tab.getByRole("heading", { level: 1 }).hover();
  await tab.clock.fastForward(60_000);
  await restored.waitFor({ state: "detached" });
  assert.equal((await call(stoa, "GET", "/api/v1/admin/plugins/leaving", { token })).status, 200);
  await tab.end();
});
