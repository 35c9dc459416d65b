// Settings → Sign-in: the rules, what the policy asvs would change, and identity providers.
import assert from "node:assert/strict";
import { accessible, adminToken, call, openConsole, seen, stoa, test, useStoa } from "./kit.js";

useStoa();

const page = "/console/settings/sign-in";
const settings = async () => (await call(stoa, "GET", "/api/v1/admin/sign-in-settings", { token: await adminToken(stoa) })).body.data;
const choose = async (tab, label, option) => {
  await tab.getByRole("combobox", { name: label }).click();
  await tab.getByRole("option", { name: option, exact: true }).click();
};

seen("rules of signing in are changed, and taken back", async ({ scheme, width }) => {
  const tab = await openConsole(page, { scheme, width });
  await tab.getByRole("heading", { name: "What the policy asvs would change" }).waitFor();
  await tab.getByRole("table").getByText("Whoever opens a mailed link").waitFor();
  await accessible(tab);
  await choose(tab, "Who may create an account", "Nobody");
  await tab.getByLabel("Sessions end after, in hours").fill("0.5");
  await tab.getByRole("button", { name: "Save rules" }).click();
  await tab.getByText("Must be from 3600 to 31536000 seconds, or 0 for off.").waitFor();
  await tab.getByLabel("Sessions end after, in hours").fill("48");
  await tab.getByRole("button", { name: "Save rules" }).click();
  await tab.getByText("The rules are saved.").waitFor();
  const { registration, sessionMax } = await settings();
  assert.deepEqual([registration.value, registration.source, sessionMax.value], ["closed", "setting", 172_800]);
  assert.equal((await call(stoa, "GET", "/auth/methods")).body.data.registration, "closed");
  await choose(tab, "Who may create an account", "Default: Everybody, at once");
  await tab.getByLabel("Sessions end after, in hours").fill("");
  const saved = tab.waitForResponse((r) => r.url().endsWith("/sign-in-settings") && r.request().method() === "PATCH");
  await tab.getByRole("button", { name: "Save rules" }).click();
  await saved;
  assert.deepEqual([(await settings()).registration.source, (await settings()).sessionMax.source], ["default", "default"]);
  await tab.end();
});

test("an identity provider is added, tested, turned on and off, and deleted", async () => {
  const tab = await openConsole(page);
  await tab.getByRole("link", { name: "Add identity provider" }).click();
  await tab.getByLabel("Name in addresses").fill("Not a name");
  await tab.getByText("Small letters, digits and hyphens, up to 40.").waitFor();
  await tab.getByLabel("Name in addresses").fill("corp");
  await tab.getByText("/auth/oidc/corp/callback").waitFor();
  await tab.getByRole("button", { name: "Add identity provider" }).click();
  await tab.getByText("Is required.").first().waitFor();
  await accessible(tab);
  await tab.getByRole("textbox", { name: "Name", exact: true }).fill("Corp");
  await tab.getByLabel("Issuer").fill("https://id.corp.invalid");
  await tab.getByLabel("Client ID").fill("shop");
  await tab.getByRole("textbox", { name: "Client secret" }).fill("very secret");
  await tab.getByRole("button", { name: "Add identity provider" }).click();
  await tab.getByRole("heading", { name: "Corp" }).waitFor();
  await tab.getByText("A secret is set.").waitFor();
  await accessible(tab);

  await tab.getByRole("button", { name: "Test the provider" }).click();
  await tab.locator("[role=status] .note[data-tone=bad]").waitFor();
  await tab.getByRole("button", { name: "Turn on Corp" }).click();
  await tab.getByText("Corp signs people in now.").waitFor();
  assert.deepEqual((await call(stoa, "GET", "/auth/methods")).body.data.providers.map((p) => p.slug), ["corp"]);

  await tab.getByRole("textbox", { name: "Name", exact: true }).fill("Corporation");
  await tab.getByRole("button", { name: "Save provider" }).click();
  await tab.getByRole("heading", { name: "Corporation" }).waitFor();
  const token = await adminToken(stoa);
  const kept = (await call(stoa, "GET", "/api/v1/admin/identity-providers/corp", { token })).body.data;
  assert.ok(kept.hasSecret && kept.enabled, "a change of the name lost the secret");

  await tab.getByRole("button", { name: "Turn off Corporation" }).click();
  const dialog = tab.getByRole("dialog");
  await dialog.getByText("No account would be locked out").waitFor();
  await dialog.getByRole("button", { name: "Turn off Corporation" }).click();
  await tab.getByText("Corporation signs nobody in any more.").waitFor();
  await tab.getByRole("button", { name: "Delete Corporation" }).click();
  await dialog.getByRole("button", { name: "Delete Corporation" }).click();
  await tab.getByText("Corporation is deleted.").waitFor();
  await tab.getByRole("heading", { name: "No identity providers" }).waitFor();
  await tab.end();
});
