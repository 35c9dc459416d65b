// Drives a real Chromium for the Go tests beside it: each line of standard input
// is a command, each line of standard output its result. There is one tab at a
// time. The browser ends when standard input does, whatever became of the tests.
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";

const patience = 60_000; // for one command

// When the tests are gone, end whatever the driver is waiting for. The browser ends
// with the driver.
process.stdin.on("end", () => setTimeout(() => process.exit(1), patience).unref());

const browser = await chromium.launch({
  executablePath: process.argv[2],
  headless: true,
  timeout: 2 * patience,
  chromiumSandbox: process.getuid() !== 0, // root cannot use the sandbox
  // Requests to other machines fail, both from pages and from the browser itself.
  args: ["--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1, EXCLUDE localhost", "--js-flags=--single-threaded"],
});

// The state of the tab:
let home; // the origin whose pages it shows
let others; // other origins that these pages may ask, without credentials
let page, devtools;
let problems; // what pages did and must not do, in order
let asked; // the promise of seen for each request
let answered; // addresses that the driver answers itself, or leaves unchecked
let expected; // texts that the console may show

// seen checks a request: it must go to stoa, without cookies, referrer or cache.
const seen = async (request) => {
  const url = new URL(request.url());
  if (url.origin !== home && !others.includes(url.origin)) problems.push(`request to another origin: ${request.method()} ${url}`);
  if (request.resourceType() !== "fetch" || answered.has(request.url())) return;
  const headers = await request.allHeaders();
  if (url.origin !== home) {
    if (headers.cookie) problems.push(`${request.method()} ${url} sends cookies: ${headers.cookie}`);
    return;
  }
  for (const name of ["cookie", "referer"]) {
    if (headers[name]) problems.push(`${request.method()} ${url.pathname} sends ${name}: ${headers[name]}`);
  }
  if (headers["cache-control"] !== "no-cache") problems.push(`${request.method()} ${url.pathname} may be answered by a cache`);
};

// begin opens a tab that shares nothing with earlier ones.
const begin = async (origin, alsoAsked) => {
  [home, others, problems, asked, answered, expected] = [origin, alsoAsked ?? [], [], [], new Set(), []];
  const context = await browser.newContext();
  await context.addCookies([{ name: "known", value: "1", url: home }]); // see seen
  await context.addInitScript(() => addEventListener("securitypolicyviolation", (e) => console.error(`${e.violatedDirective} forbids ${e.blockedURI}`)));
  page = await context.newPage();
  page.setDefaultTimeout(patience);
  page.on("request", (request) => asked.push(seen(request).catch((e) => problems.push(`${request.url()}: ${e}`))));
  page.on("pageerror", (error) => problems.push(`error in the page: ${error}`));
  page.on("console", (message) => {
    // The browser reports every error answer. That is not a fault of the page.
    if (!["error", "warning"].includes(message.type()) || message.text().startsWith("Failed to load resource: ")) return;
    if (expected.some((text) => message.text().includes(text))) return;
    problems.push(`console ${message.type()}: ${message.text()}`);
  });
  devtools = await context.newCDPSession(page);
};

const roles = ["heading", "paragraph", "textbox", "checkbox", "button", "link", "alert", "status"];

// text returns the text inside a node that has no name.
const text = (node, nodes) =>
  node.childIds.map((id) => nodes.get(id)).map((child) => (child.role?.value === "StaticText" ? child.name.value : text(child, nodes))).join("");

// spoken returns a node as a line of text, or nothing if there is nothing to say.
const spoken = (node, nodes) => {
  const name = node.name?.value || text(node, nodes);
  if (!name) return [];
  const is = (state) => [true, "true"].includes(node.properties?.find((p) => p.name === state)?.value.value);
  let line = `${node.role.value} "${name}"`;
  if (node.value?.value) line += ` = "${node.value.value}"`;
  for (const state of ["checked", "disabled", "invalid"]) if (is(state)) line += ` ${state}`;
  // A button that is disabled during its request loses the focus, unless the answer is faster.
  if (is("focused") && node.role.value !== "button") line += " focused";
  if (node.description?.value) line += `, described by "${node.description.value}"`;
  return [line];
};

// screen returns what the browser tells a screen reader, one element per line.
const screen = async () => {
  const tree = await devtools.send("Accessibility.getFullAXTree");
  const nodes = new Map(tree.nodes.map((node) => [node.nodeId, node]));
  const walk = (node) => {
    const told = !node.ignored && roles.includes(node.role?.value);
    return told ? spoken(node, nodes) : node.childIds.flatMap((id) => walk(nodes.get(id)));
  };
  return [`title "${await page.title()}"`, ...walk(tree.nodes[0])].join("\n");
};

// until reads something until it is as wanted, or patience ends, and returns what it read last.
const until = async (read, wanted) => {
  for (const end = Date.now() + patience; ; await new Promise((resolve) => { setTimeout(resolve, 20); })) {
    const got = await read();
    if (wanted(got) || Date.now() > end) return got;
  }
};

// texts returns what visible elements say, one text each.
const texts = (selector) => page.locator(selector).filter({ visible: true }).allInnerTexts();

const commands = {
  begin,
  open: async (path) => void (await page.goto(home + path)),
  fill: (label, value) => page.getByLabel(label, { exact: true }).fill(value),
  click: (role, name) => page.getByRole(role, { name, exact: true }).click(),
  key: (name) => page.keyboard.press(name),
  // answer makes requests for a path fail with a status and a text that nobody should see, or without an answer.
  // A 500 is stoa's, with a request id; a 502 comes from a proxy, without.
  answer: (path, status) => {
    answered.add(home + path);
    return page.route(home + path, (route) => (status ? route.fulfill({ status, headers: status === 500 ? { "X-Request-Id": "4f1c0a7e" } : {}, json: { error: { message: "inner" }, message: "inner" } }) : route.abort()));
  },
  // ignore leaves requests for a path unchecked: pages of plugins ask as they like, and the
  // headers of a request are incomplete once answer intercepts any other.
  ignore: async (path) => void answered.add(home + path),
  // sees waits until the screen is as wanted, and returns the last screen.
  sees: (want) => until(screen, (got) => got === want),
  // status waits until the page's status matches a pattern, and returns its last text.
  status: (pattern) => until(() => page.getByRole("status").textContent(), (got) => new RegExp(pattern).test(got)),
  texts,
  // first waits until the first visible element of a selector says something, and returns the
  // last text of each.
  first: (selector, want) => until(() => texts(selector), ([got]) => got === want),
  // viewport sets the size of the window, and returns by how much the page is wider.
  async viewport(width, height) {
    await page.setViewportSize({ width, height });
    return page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  },
  // copied returns what the page has put into the clipboard.
  async copied() {
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    return page.evaluate(() => navigator.clipboard.readText());
  },
  // run returns the value of an expression in the page, or of the promise that it is.
  run: (expression) => page.evaluate(expression),
  // authenticator adds a device that makes passkeys and recognizes its user, without asking.
  async authenticator() {
    await devtools.send("WebAuthn.enable");
    const options = { protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true };
    await devtools.send("WebAuthn.addVirtualAuthenticator", { options });
  },
  press: (selector) => page.locator(selector).first().click(),
  // place waits until an element begins in the upper half of the window.
  place: (selector) => page.waitForFunction((selector) => {
    const { top } = document.querySelector(selector).getBoundingClientRect();
    return top >= 0 && top < innerHeight / 2;
  }, selector).then(() => undefined),
  // where tells what the tab shows: its address, and the problems so far.
  where: async () => [`at ${page.url()}`, ...problems].join("\n"),
  // expect allows errors with a text in the console.
  expect: async (text) => void expected.push(text),
  // history returns every address that the tab can go back or forward to.
  async history() {
    const { entries } = await devtools.send("Page.getNavigationHistory");
    return entries.map((entry) => entry.url.replace(home, ""));
  },
  // end closes the tab and returns the problems.
  async end() {
    await Promise.all(asked);
    await page.context().close();
    return problems;
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const [name, ...args] = JSON.parse(line);
  let result;
  try {
    result = { value: await commands[name](...args) };
  } catch (e) {
    result = { error: [e, `at ${page?.url()}`, ...problems ?? []].join("\n") };
  }
  process.stdout.write(JSON.stringify(result) + "\n");
}
await browser.close();
