// What the scenarios share: a stoa of their own with demo data, a browser, and what must
// hold on every page. Scenarios run against the binary in STOA_BINARY.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

// How long a page may take to show something, on a busy machine.
const patience = 20_000;

const freePort = () => new Promise((resolve, reject) => {
  const server = createServer().on("error", reject).listen(0, "127.0.0.1", () => {
    const { port } = server.address();
    server.close(() => resolve(port));
  });
});

// startStoa starts a stoa with demo data, and waits until it is ready. args and env change
// its settings; {url} in args stands for its own address; binary is another than STOA_BINARY.
export const startStoa = async ({ args = [], env = {}, binary = process.env.STOA_BINARY } = {}) => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const folder = mkdtempSync(join(tmpdir(), "stoa-scenario-"));
  const flags = ["serve", "--demo", "--addr", url.slice("http://".length), "--ops-addr", "off", "--data", folder];
  const child = spawn(binary, [...flags, ...args.map((a) => a.replaceAll("{url}", url))], {
    env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"],
  });
  let log = "";
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const ready = new Promise((resolve, reject) => {
    const read = (bytes) => {
      log += bytes;
      if (log.includes("Stop with Ctrl-C.")) resolve();
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("exit", (code) => reject(new Error(`stoa ended with ${code}:\n${log}`)));
  });
  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await Promise.race([ready, new Promise((_, reject) => setTimeout(() => reject(new Error(`stoa is not ready:\n${log}`)), 90_000).unref())]);
  } catch (error) {
    await stop();
    throw error;
  }
  const admin = { email: "admin@example.com", password: readFileSync(join(folder, "demo", "admin-password"), "utf8").trim() };
  return { url, folder, admin, stop, log: () => log };
};

// call sends a request to the API, and returns status and body. Bodies that are not
// buffers go as JSON.
export const call = async (stoa, method, path, { token, body, type } = {}) => {
  const raw = body instanceof Uint8Array;
  const response = await fetch(stoa.url + path, {
    method,
    headers: {
      ...(token ? { Authorization: `Bearer ${token}` } : {}),
      ...(body === undefined ? {} : { "Content-Type": type ?? "application/json" }),
    },
    body: body === undefined || raw ? body : JSON.stringify(body),
  });
  return { status: response.status, body: await response.json().catch(() => null), headers: response.headers };
};

// adminToken signs the demo's administrator in and returns an access token.
export const adminToken = async (stoa) => (await call(stoa, "POST", "/auth/login", { body: stoa.admin })).body.data.access_token;

export const launch = () => chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  chromiumSandbox: process.getuid() !== 0, // root cannot use the sandbox
  args: ["--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"],
});

// openTab opens a tab that shares nothing with others. Its close throws if a page broke its
// policy, failed, or asked for anything that is neither the stoa's nor of the origins in
// also. tab.expect adds a text that the console may show.
export const openTab = async (browser, stoa, { width = 1440, height = 900, scheme = "light", also = [] } = {}) => {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, reducedMotion: "reduce", baseURL: stoa.url });
  const page = await context.newPage();
  page.setDefaultTimeout(patience);
  const problems = [], expected = ["Failed to load resource: "];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type()) && !expected.some((text) => message.text().includes(text))) problems.push(message.text());
  });
  page.on("pageerror", (error) => problems.push(`error in the page: ${error.stack ?? error}`));
  page.on("request", (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol.startsWith("http") && ![stoa.url, ...also].includes(origin)) problems.push(`request to ${request.url()}`);
  });
  return Object.assign(page, {
    expect: (text) => expected.push(text),
    problems,
    end: async () => {
      await context.close();
      if (problems.length > 0) throw new Error(problems.join("\n"));
    },
  });
};

// signInToConsole signs the administrator in where the console asks for it.
export const signInToConsole = async (page, stoa, path = "/console") => {
  await page.goto(path);
  await page.getByLabel("E-mail").fill(stoa.admin.email);
  await page.getByRole("textbox", { name: "Password" }).fill(stoa.admin.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.locator(".shell").waitFor();
  await page.locator("main h1").first().waitFor(); // a page is loaded when it is first opened
};

// settled waits until a page has shown what it loads: nothing is busy, nothing on the way.
export const settled = async (page) => {
  await page.waitForLoadState("networkidle").catch(() => {}); // pages that follow something are never idle
  await page.waitForFunction(() => !document.querySelector("[aria-busy=true]"), undefined, { timeout: patience });
};

// accessibilityFaults runs axe-core, and returns what is serious, a line each.
export const accessibilityFaults = async (page) => {
  await page.evaluate(axeSource);
  const { violations } = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
  return violations.filter((v) => ["serious", "critical"].includes(v.impact))
    .flatMap((v) => v.nodes.map((node) => `${v.id}: ${node.target.join(" ")}: ${node.any[0]?.message ?? v.help}`));
};

// scrollsSideways tells by how many pixels a page is wider than its window.
export const scrollsSideways = (page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

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
