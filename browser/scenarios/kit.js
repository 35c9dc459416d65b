// What the scenarios share. A file of scenarios begins with useStoa, which says what stoa it
// needs; its tests then use that stoa and a browser, one test after the other. Several files
// may run in one process (lane.js): they share the browser, and the stoa with demo data.
// Scenarios run against the binary in STOA_BINARY.
import { createHmac } from "node:crypto";
import { after, test as nodeTest } from "node:test";
import { adminToken, call, install as installIn, startStoa } from "./server.js";
import { closeTabs, explained, launch, mounted, openTab as openTabOf, settled } from "./tab.js";

export { accessibilityFaults, accessible, accessibleEverywhere, fine, scrollsSideways } from "./checks.js";
export { adminToken, call, called, startStoa } from "./server.js";
export { drawn, focused, launch, mounted, openTab, patience, settled } from "./tab.js";

// The stoa and the browser of the scenario that runs.
export let stoa, browser;

let shared; // the stoa with demo data of all files that need no other
let own; // the stoa of the file that runs, if it needs another

// file is what the file that is being read needs: see useStoa.
let file = null;

// useStoa says what stoa the tests of a file need: one with demo data, which other files
// use as well, or one with options of its own: those of startStoa, or a function that
// returns them. Before the first test, prepare is called.
export const useStoa = (options = null, prepare = () => {}) => {
  if (file === null) after(endAll);
  file = { options, prepare, ready: null };
};

const endAll = async () => {
  await browser?.close();
  await own?.stop();
  await shared?.stop();
};

const begin = async ({ options, prepare }) => {
  await own?.stop();
  own = null;
  browser ??= await launch();
  if (options === null) stoa = shared ??= await startStoa();
  else stoa = own = await startStoa(typeof options === "function" ? await options() : options);
  await prepare();
};

// Which scenarios run: STOA_SCENARIOS is "first" for those of make test, "rest" for what
// make proof-short adds to them, and else all. With STOA_PROOF_PAGES=1 (make proof), what
// they show is seen on a wide window, too.
const part = process.env.STOA_SCENARIOS ?? "all";
const { STOA_PROOF_PAGES: inEachLook } = process.env;

const phone = { scheme: "dark", width: 360 }, wide = { scheme: "light", width: 1440 };
const looks = inEachLook ? [phone, wide] : [phone];

// test is that of node:test with the stoa of its file. If a scenario fails, it tells what
// the open tabs show; none stays open.
export const test = (name, body) => { if (part !== "rest") register(name, body); };

// sweep is a test that make test leaves to make proof-short: of many pages or cases, or of what fewer people do.
export const sweep = (name, body) => { if (part !== "first") register(name, body); };

// seen is a test on a phone in dark colors, and, left to make proof, on a wide window in
// light ones.
export const seen = (name, body) => {
  for (const look of looks) (look === phone ? test : sweep)(named(name, look), (t) => body(look, t));
};

// sweepSeen is a sweep in these looks.
export const sweepSeen = (name, body) => {
  for (const look of looks) sweep(named(name, look), (t) => body(look, t));
};

const named = (name, { scheme, width }) => `${name}, ${scheme}, ${width} px`;

const register = (name, body) => {
  const needs = file;
  nodeTest(name, async (t) => {
    await (needs.ready ??= begin(needs));
    const step = t.test.bind(t);
    t.test = (name, body) => step(name, explains(body));
    try {
      await explains(body)(t);
    } finally {
      await closeTabs();
    }
  });
};

// A page that hangs ends its scenario, however slow the machine is.
const longest = 20 * 60_000;

const explains = (body) => async (t) => {
  let late;
  const hangs = new Promise((_, reject) => {
    late = setTimeout(() => reject(new Error("the scenario hangs")), longest);
  });
  try {
    await Promise.race([body(t), hangs]);
  } catch (error) {
    throw await explained(error, complaints());
  } finally {
    clearTimeout(late);
  }
};

// complaints are the last warnings and errors that the stoa has logged.
const complaints = () => (stoa?.log() ?? "").split("\n").filter((line) => /level=(WARN|ERROR)/.test(line)).slice(-10);

export const install = (token, body, kind) => installIn(stoa, token, body, kind);

// signInToConsole signs the administrator in where the console asks for it.
export const signInToConsole = async (tab, stoa, path = "/console") => {
  await tab.goto(path);
  await fillIn(tab, stoa.admin);
};

const fillIn = async (tab, { email, password }) => {
  await tab.getByLabel("E-mail").fill(email);
  await tab.getByRole("textbox", { name: "Password" }).fill(password);
  await tab.getByRole("button", { name: "Sign in" }).click();
  await tab.locator(".shell").waitFor();
  await tab.locator("main h1").first().waitFor();
};

// What asks for a recent sign-in asks after ten minutes. A scenario has the rest of them.
const signsInAnew = 3 * 60_000;

// openConsole opens a page of the console for the administrator, who is signed in since a few
// minutes at most: what a browser keeps (cookies, storage, files) is shared by all of these tabs.
export const openConsole = async (path = "/console", options = {}) => {
  stoa.signedIn ??= await browser.newContext({ reducedMotion: "reduce", baseURL: stoa.url });
  if (Date.now() - stoa.signedInAt > signsInAnew) await stoa.signedIn.clearCookies();
  const tab = await openTabOf(browser, stoa, { ...options, context: stoa.signedIn });
  await tab.goto(path);
  if (await tab.locator(".shell").count() === 0) {
    await fillIn(tab, stoa.admin);
    stoa.signedInAt = Date.now();
  }
  await tab.locator("main h1").first().waitFor();
  return tab;
};

// visit goes to a page and waits until it has shown what it loads. From a page of the console
// to another it goes as people do, without loading the console again.
export const visit = async (tab, path) => {
  const inside = path.startsWith("/console") && await tab.locator(".shell").count() > 0;
  if (!inside || tab.url() === stoa.url + path) {
    await tab.goto(path);
  } else {
    const before = await tab.locator("main").innerText();
    await tab.evaluate((path) => history.pushState({}, "", path), path);
    await tab.waitForFunction((before) => document.querySelector("main")?.innerText !== before, before);
    await mounted(tab);
  }
  await settled(tab);
};

// signInToShop signs somebody in to the storefront, who then sees the page of next.
export const signInToShop = async (tab, { email, password }, next = "/licenses") => {
  await tab.goto(`/sign-in?next=${next}`);
  await tab.getByLabel("E-mail").fill(email);
  await tab.getByRole("textbox", { name: "Password" }).fill(password);
  await tab.getByRole("main").getByRole("button", { name: "Sign in" }).click();
  await tab.waitForURL((url) => url.pathname !== "/sign-in");
};

// fromMenu chooses from the menu of a page's rarer actions.
export const fromMenu = async (tab, name) => {
  await tab.getByRole("button", { name: "More actions", exact: true }).click();
  await tab.getByRole("menuitem", { name, exact: true }).click();
};

// journey counts what a person does for a job: the clicks and keys that act, and the
// screens (addresses) they see.
export const journey = (page) => {
  const screens = new Set([new URL(page.url()).pathname]);
  page.on("framenavigated", (frame) => { if (frame === page.mainFrame()) screens.add(new URL(frame.url()).pathname); });
  let clicks = 0;
  return {
    click: async (locator) => { clicks += 1; await locator.click(); },
    clicks: () => clicks,
    screens: () => screens.size,
  };
};

// proven proves the address of an account, with the link that is mailed to it. The stoa of the file logs its mails.
export const proven = async (email, token) => {
  for (const end = Date.now() + 120_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 50))) {
    const mails = stoa.log().split("\n").filter((line) => line.includes(email)).join("\n");
    const link = mails.match(/\/verify-email#([\w-]+)/)?.[1];
    if (!link) continue;
    const answer = await call(stoa, "POST", "/auth/email/verify", { token, body: { token: link } });
    if (answer.status !== 200) throw new Error(`the link is answered ${answer.status}`);
    return;
  }
  throw new Error(`no link to verify ${email}`);
};

// provenAccount makes an account whose address is proven.
export const provenAccount = async (username, password) => {
  const email = `${username}@example.com`;
  const made = await call(stoa, "POST", "/auth/register", { body: { email, username, password } });
  const token = made.body.data.access_token;
  await proven(email, token);
  return { email, token };
};

// codeOf is the six digits that an app shows for a secret (RFC 6238).
export const codeOf = (secret) => {
  const letters = [...secret.replaceAll(" ", "")].map((letter) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter));
  const bits = letters.map((n) => n.toString(2).padStart(5, "0")).join("");
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => parseInt(byte, 2)));
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)));
  const sum = createHmac("sha1", key).update(step).digest();
  return String((sum.readUInt32BE(sum[19] & 15) & 0x7fffffff) % 1_000_000).padStart(6, "0");
};
