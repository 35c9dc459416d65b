// Tabs of a browser: what they may do, when a page is there, and what is known of one in
// which something failed.
import { chromium } from "playwright-core";

// How long a page may take to show something, on a busy machine.
export const patience = 60_000;

export const launch = () => chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium-headless-shell",
  chromiumSandbox: process.getuid() !== 0, // root cannot use the sandbox
  // What V8 does beside a page, such as optimizing what runs once, costs more than it gains.
  args: ["--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1, EXCLUDE localhost", "--js-flags=--single-threaded"],
});

// The tabs that are open.
const tabs = new Set();

// openTab opens a tab that shares nothing with others, or one of a context that it is given.
// Its end throws if a page broke its policy, failed, or asked for anything that is neither
// the stoa's nor of the origins in also. tab.expect adds a text that the console may show.
export const openTab = async (browser, stoa, { width = 1440, height = 900, scheme = "light", also = [], context } = {}) => {
  const shared = context !== undefined;
  context ??= await browser.newContext({ viewport: { width, height }, colorScheme: scheme, reducedMotion: "reduce", baseURL: stoa.url });
  context.setDefaultTimeout(patience); // of the pages that it opens by itself, too
  const page = await context.newPage();
  await page.addInitScript(() => { // toasts go after 6 or 12 s, and a test may stand still for longer
    const later = window.setTimeout;
    window.setTimeout = (run, after, ...more) => later(run, [6_000, 12_000].includes(after) ? 30_000 : after, ...more);
  });
  if (shared) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme: scheme });
  }
  const problems = [], expected = ["Failed to load resource: "];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type()) && !expected.some((text) => message.text().includes(text))) problems.push(message.text());
  });
  page.on("pageerror", (error) => problems.push(`error in the page: ${error.stack ?? error}`));
  page.on("request", (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol.startsWith("http") && ![stoa.url, ...also].includes(origin)) problems.push(`request to ${request.url()}`);
  });
  waitsAreKnown(page);
  mountedFirst(page);
  const closePage = page.close.bind(page);
  const tab = Object.assign(page, {
    scheme, problems,
    expect: (text) => expected.push(text),
    asked: askedBy(page),
    close: async () => {
      tabs.delete(tab);
      await (shared ? closePage() : context.close());
    },
    end: async () => {
      await tab.close();
      if (problems.length > 0) throw new Error(problems.join("\n"));
    },
  });
  tabs.add(tab);
  return tab;
};

// askedBy keeps the requests of a page that have no answer yet. A stream, which has no end,
// is answered when it begins.
const askedBy = (page) => {
  const asked = new Set();
  page.on("request", (request) => {
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) asked.clear(); // of the page before
    asked.add(request);
  });
  page.on("response", (response) => {
    if (/event-stream/.test(response.headers()["content-type"] ?? "")) asked.delete(response.request());
  });
  for (const ended of ["requestfinished", "requestfailed"]) page.on(ended, (request) => asked.delete(request));
  page.on("framedetached", (frame) => {
    for (const request of asked) if (request.frame() === frame) asked.delete(request);
  });
  return asked;
};

// waitsAreKnown keeps in page.waited what a page was last asked to wait for. A locator that
// is not there says so itself. Functions are asked now and then: to ask them in each frame, as
// Playwright does, keeps a page drawing that waits.
const waitsAreKnown = (page) => {
  for (const name of ["goto", "reload", "goBack", "waitForFunction", "waitForURL", "waitForEvent", "waitForResponse"]) {
    const wait = page[name].bind(page);
    page[name] = (what, ...args) => {
      if (name === "waitForFunction") args = [args[0], { polling: 50, ...args[1] }];
      page.waited = `${name} ${String(what ?? "").replace(/\s+/g, " ").slice(0, 300)}`;
      return wait(what, ...args);
    };
  }
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

// drawn waits until a page has drawn what it has to, and has nothing else to do. Chromium
// may lose a frame when its window changes size: then a second has to do.
export const drawn = (tab) => tab.evaluate(() => new Promise((resolve) => {
  const idle = () => requestIdleCallback(() => resolve(), { timeout: 1_000 });
  requestAnimationFrame(() => requestAnimationFrame(idle));
  setTimeout(idle, 1_000);
}));

// settled waits until a page has shown what it loads: everything it asked for has come and
// is drawn, and nothing on it says that it is busy.
export const settled = async (tab) => {
  for (const end = Date.now() + patience; ; ) {
    await drawn(tab);
    const busy = await tab.evaluate(() => document.querySelector("[aria-busy=true]")?.outerHTML.slice(0, 200));
    if (!busy && tab.asked.size === 0) return;
    if (Date.now() < end) continue;
    throw new Error(`${tab.url()} is not settled: ${busy ?? [...tab.asked].map((request) => request.url()).join(", ")}`);
  }
};

// focused waits until the focus is on an element: pages move it after they have drawn.
export const focused = (locator) => locator.and(locator.page().locator(":focus")).waitFor();

// shown tells what is seen in a tab: for who reads of a failure.
const shown = async (tab) => {
  const lines = [`tab at ${tab.url()}`, `  last waited for: ${tab.waited ?? "nothing"}`];
  const says = tab.evaluate(() => [...document.querySelectorAll("h1, [role=alert], [role=dialog] h2, [aria-busy=true]")]
    .filter((el) => el.checkVisibility()).map((el) => `${el.localName} ${el.innerText.slice(0, 200)}`));
  const late = new Promise((resolve) => { setTimeout(resolve, 5_000, ["a page that does not answer"]).unref(); });
  for (const text of await Promise.race([says, late]).catch((error) => [String(error)])) lines.push(`  it shows: ${text}`);
  for (const request of tab.asked) lines.push(`  no answer yet: ${request.method()} ${request.url()}`);
  for (const problem of tab.problems) lines.push(`  console: ${problem}`);
  return lines.join("\n");
};

// explained is an error with what the open tabs show, and the lines of a log.
export const explained = async (error, log) => {
  if (tabs.size === 0 && log.length === 0) return error;
  const seen = await Promise.all([...tabs].map(shown));
  return new Error(`${error.message}\n\n${[...seen, ...log].join("\n")}\n`, { cause: error });
};

// closeTabs closes the tabs that a scenario left open.
export const closeTabs = () => Promise.all([...tabs].map((tab) => tab.close().catch(() => {})));
