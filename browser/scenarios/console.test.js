// The door of the console: who gets in, and what happens when a session ends.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { adminToken, call, launch, openTab, signInToConsole, startStoa } from "./kit.js";

let stoa, browser;
before(async () => {
  stoa = await startStoa();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await stoa?.stop();
});

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

test("a customer is told why the console stays closed", async () => {
  const customer = { email: "carla@example.com", username: "carla", password: "correct horse" };
  assert.equal((await call(stoa, "POST", "/auth/register", { body: customer })).status, 201);
  const tab = await openTab(browser, stoa);
  await tab.goto("/console");
  await tab.getByLabel("E-mail").fill(customer.email);
  await tab.getByRole("textbox", { name: "Password" }).fill(customer.password);
  await tab.getByRole("button", { name: "Sign in" }).click();
  await tab.getByRole("heading", { name: "Your account is not an administrator's" }).waitFor();
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
  await tab.getByRole("link", { name: "People" }).click();
  await tab.reload();
  await tab.getByRole("heading", { name: "Sign in to the console" }).waitFor();
  await tab.end();
});
