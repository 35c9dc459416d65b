// The door of the console: who gets in, and what happens when a session ends.
import assert from "node:assert/strict";
import {
  accessibilityFaults, adminToken, browser, call, openTab, signInToConsole, stoa, sweep, test, useStoa,
} from "./kit.js";

useStoa();

test("the page that was asked for follows the sign-in, and a reload keeps the session", async () => {
  const tab = await openTab(browser, stoa);
  await signInToConsole(tab, stoa, "/console/people");
  await tab.getByRole("heading", { level: 1, name: "People" }).waitFor();
  await tab.reload();
  await tab.getByRole("heading", { level: 1, name: "People" }).waitFor();
  assert.equal(await tab.evaluate(() => Object.values(localStorage).some((v) => v.includes("eyJ"))), false, "a token is in the storage of the page");
  await tab.end();
});

test("a wrong password is said at its field", async () => {
  const tab = await openTab(browser, stoa);
  await tab.goto("/console");
  await tab.getByLabel("E-mail").fill(stoa.admin.email);
  await tab.getByRole("textbox", { name: "Password" }).fill("wrong password");
  await tab.getByRole("button", { name: "Sign in" }).click();
  await tab.getByText("The e-mail or the password is wrong.").waitFor();
  await tab.end();
});

sweep("a customer is told why the console stays closed", async () => {
  const customer = { email: "carla@example.com", username: "carla", password: "correct horse" };
  assert.equal((await call(stoa, "POST", "/auth/register", { body: customer })).status, 201);
  const tab = await openTab(browser, stoa);
  await tab.goto("/console");
  await tab.getByLabel("E-mail").fill(customer.email);
  await tab.getByRole("textbox", { name: "Password" }).fill(customer.password);
  await tab.getByRole("button", { name: "Sign in" }).click();
  await tab.getByRole("heading", { name: "This console is for the shop's staff" }).waitFor();
  await tab.end();
});

test("when the session ends elsewhere, the console asks to sign in and goes on where it was", async () => {
  const tab = await openTab(browser, stoa);
  await signInToConsole(tab, stoa, "/console/events");
  const token = await adminToken(stoa);
  const { body } = await call(stoa, "GET", "/auth/sessions", { token });
  for (const session of body.data.items.filter((s) => !s.current)) {
    assert.equal((await call(stoa, "DELETE", `/auth/sessions/${session.id}`, { token })).status, 200);
  }
  await tab.reload(); // or the page finds out by itself, when it asks for something
  await tab.getByRole("heading", { name: "Sign in to the console" }).waitFor();
  await tab.end();
});

// endSessions ends all sessions of a user but that of token.
const endSessions = async (token) => {
  const { body } = await call(stoa, "GET", "/auth/sessions", { token });
  for (const session of body.data.items.filter((s) => !s.current)) await call(stoa, "DELETE", `/auth/sessions/${session.id}`, { token });
};

sweep("what was typed is saved after the session ended and the administrator signed in again", async () => {
  const tab = await openTab(browser, stoa, { width: 800 });
  await signInToConsole(tab, stoa, "/console/settings");
  await tab.getByLabel("Name of the shop").fill("Typed before the end");
  const token = await adminToken(stoa);
  await endSessions(token);
  await tab.getByRole("button", { name: "Save settings" }).click();
  await tab.getByText("Your session has ended.").waitFor();
  assert.deepEqual(await accessibilityFaults(tab), []);
  await tab.keyboard.press("Escape");
  const dialog = tab.getByRole("dialog", { name: "Sign in to the console" });
  await dialog.getByLabel("E-mail").fill(stoa.admin.email);
  await dialog.getByRole("textbox", { name: "Password" }).fill(stoa.admin.password);
  const saved = tab.getByText("The settings are saved").first().waitFor();
  await dialog.getByRole("button", { name: "Sign in" }).click();
  await dialog.waitFor({ state: "detached" });
  await saved;
  assert.equal(await tab.getByLabel("Name of the shop").inputValue(), "Typed before the end");
  const { body } = await call(stoa, "GET", "/api/v1/admin/settings", { token });
  assert.equal(body.data.shopName, "Typed before the end");
  await tab.end();
});
