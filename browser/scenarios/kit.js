// What the scenarios share: a stoa of their own with demo data, a browser, and what must
// hold on every page. Scenarios run against the binary in STOA_BINARY.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { chromium } from "playwright-core";

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

// How long a page may take to show something, on a busy machine.
const patience = 60_000;

// freePort returns a port at which nobody listens. Systems take the ports of outgoing
// connections from above this range, and stoa's demo its own from below, so none takes it
// before stoa listens, or while stoa is started again.
const freePort = async () => {
  for (let tries = 100; ; tries--) {
    const port = 30_000 + Math.floor(2_700 * Math.random());
    const server = createServer();
    try {
      await once(server.listen(port, "127.0.0.1"), "listening");
      await new Promise((resolve) => server.close(resolve));
      return port;
    } catch (error) {
      if (tries === 0) throw error;
    }
  }
};

const logged = { demo: "Stop with Ctrl-C.", empty: "msg=listening" };

// startStoa starts a stoa, and waits until it is ready: with demo data, or an empty shop
// whose setup link is in its log. args and env change its settings; {url} in args stands
// for its own address; binary is another than STOA_BINARY. kill ends it as a power cut does, run starts it again.
export const startStoa = async ({ demo = true, args = [], env = {}, binary = process.env.STOA_BINARY } = {}) => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const folder = mkdtempSync(join(tmpdir(), "stoa-scenario-"));
  const flags = ["serve", "--addr", url.slice("http://".length), "--ops-addr", "off", "--data", folder];
  if (demo) flags.push("--demo");
  let child, ended, log = "";
  const run = async () => {
    child = spawn(binary, [...flags, ...args.map((a) => a.replaceAll("{url}", url))], {
      env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"],
    });
    ended = new Promise((resolve) => child.once("exit", resolve));
    await ready(child, demo ? logged.demo : logged.empty, (bytes) => { log += bytes; });
  };
  const end = async (signal) => {
    child.kill(signal);
    await ended;
  };
  const stop = async () => {
    await end("SIGTERM");
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await run();
  } catch (error) {
    await stop();
    throw error;
  }
  const admin = demo
    ? { email: "admin@example.com", password: readFileSync(join(folder, "demo", "admin-password"), "utf8").trim() }
    : null;
  return { url, folder, admin, stop, run, kill: () => end("SIGKILL"), log: () => log };
};

// ready waits until a process has logged a text.
const ready = (child, text, keep) => new Promise((resolve, reject) => {
  let log = "";
  const late = setTimeout(() => reject(new Error(`stoa is not ready:\n${log}`)), 180_000);
  const read = (bytes) => {
    keep(bytes);
    log += bytes;
    if (!log.includes(text)) return;
    clearTimeout(late);
    resolve();
  };
  child.stdout.on("data", read);
  child.stderr.on("data", read);
  child.once("exit", (code) => reject(new Error(`stoa ended with ${code}:\n${log}`)));
});

// The stoa and the browser of a scenario file, from its first test to its last.
export let stoa, browser;

// useStoa starts both before the tests of a file, then calls prepare, and ends them
// afterwards. options are those of startStoa, or a function that returns them. (One hook
// does all: Node.js does not wait for a hook of a file before it calls the next.)
export const useStoa = (options = {}, prepare = () => {}) => {
  before(async () => {
    stoa = await startStoa(typeof options === "function" ? await options() : options);
    browser = await launch();
    await prepare();
  });
  after(async () => {
    await browser?.close();
    await stoa?.stop();
  });
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

// install installs an archive and returns what the API says of it.
export const install = async (token, body, kind = "plugin") => {
  const path = `/api/v1/admin/extensions/${kind}/install`;
  const answer = await call(stoa, "POST", path, { token, body, type: "application/zip" });
  assert.ok(answer.status === 200 || answer.status === 201, JSON.stringify(answer.body));
  return answer.body.data;
};

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
  mountedFirst(page);
  return Object.assign(page, {
    expect: (text) => expected.push(text),
    problems,
    end: async () => {
      await context.close();
      if (problems.length > 0) throw new Error(problems.join("\n"));
    },
  });
};

// mountedFirst makes page.goto and page.reload wait until the page is mounted: its code is
// loaded when it is first opened, and what is clicked or typed before would be lost.
const mountedFirst = (page) => {
  for (const name of ["goto", "reload"]) {
    const go = page[name].bind(page);
    page[name] = async (...args) => {
      const response = await go(...args);
      await mounted(page);
      return response;
    };
  }
};

// mounted waits until a page shows what it is made for, or why it cannot.
// A document that is no page of the console or the shop is mounted when it is loaded.
export const mounted = (page) => page.waitForFunction(() => {
  const app = document.getElementById("app");
  if (!app) return true;
  const drawn = [...document.querySelectorAll("h1, [role=alert]")].some((el) => el.checkVisibility());
  return drawn && !document.querySelector("[role=status][aria-busy=true]");
}, undefined, { timeout: patience });

// signInToConsole signs the administrator in where the console asks for it.
export const signInToConsole = async (page, stoa, path = "/console") => {
  await page.goto(path);
  await page.getByLabel("E-mail").fill(stoa.admin.email);
  await page.getByRole("textbox", { name: "Password" }).fill(stoa.admin.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.locator(".shell").waitFor();
  await page.locator("main h1").first().waitFor();
};

// settled waits until a page has shown what it loads: nothing is busy, nothing on the way.
// A page that follows something is never idle; follows gives it up sooner.
export const settled = async (page, follows = false) => {
  await page.waitForLoadState("networkidle", { timeout: follows ? 2_000 : 20_000 }).catch(() => {});
  await page.waitForFunction(() => !document.querySelector("[aria-busy=true]"), undefined, { timeout: patience });
};

// accessibilityFaults runs axe-core, and returns what is serious, a line each. In the
// console, text must have the contrast of AAA.
export const accessibilityFaults = async (page) => {
  await page.evaluate(axeSource);
  const { violations } = await page.evaluate(() => axe.run(document, {
    resultTypes: ["violations"],
    rules: { "color-contrast-enhanced": { enabled: document.querySelector(".shell") !== null } },
  }));
  return violations.filter((v) => ["serious", "critical"].includes(v.impact))
    .flatMap((v) => v.nodes.map((node) => `${v.id}: ${node.target.join(" ")}: ${node.any[0]?.message ?? v.help}`));
};

// scrollsSideways tells by how many pixels a page is wider than its window.
export const scrollsSideways = (page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

// accessible checks what must hold on every page, in whatever state it is.
export const accessible = async (page, what = page.url()) => {
  assert.deepEqual(await accessibilityFaults(page), [], what);
  assert.ok(await scrollsSideways(page) <= 0, `${what} is wider than its window`);
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
