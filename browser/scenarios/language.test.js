// A second language is one file: a stoa that is built with another catalog shows no word of
// the first. The catalog of this test has every text in brackets.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";
import { browser, call, openTab, settled, stoa, test, useStoa, visit } from "./kit.js";
import { pages } from "./pages.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const web = join(root, "web");

const bracketed = (part, path = "") => Object.fromEntries(Object.entries(part).map(([name, inner]) => [
  name,
  typeof inner !== "string" ? bracketed(inner, `${path}${name}.`) : path === "shop.format." ? inner : `[${inner}]`,
]));

// build makes a stoa with the bracketed catalog. Nothing in the tree changes: Go and Vite
// are told to read other files.
const build = (folder) => {
  const texts = join(folder, "en.json"), assets = join(folder, "assets"), binary = join(folder, "stoa");
  writeFileSync(texts, JSON.stringify(bracketed(JSON.parse(readFileSync(join(web, "texts/en.json"), "utf8")))));
  mkdirSync(assets);
  const run = (program, args, cwd, env = {}) => execFileSync(program, args, { cwd, env: { ...process.env, ...env }, stdio: ["ignore", "ignore", "inherit"] });
  run(process.execPath, ["node_modules/vite/bin/vite.js", "build", "--outDir", assets, "--emptyOutDir", "--logLevel", "error"], web, { STOA_TEXTS: texts });
  run(process.execPath, ["pack.js", assets], web);
  const Replace = { [join(web, "texts/en.json")]: texts };
  for (const name of readdirSync(join(web, "dist/assets"))) Replace[join(web, "dist/assets", name)] = "";
  for (const name of readdirSync(assets)) Replace[join(web, "dist/assets", name)] = join(assets, name);
  writeFileSync(join(folder, "overlay.json"), JSON.stringify({ Replace }));
  run("go", ["build", "-overlay", join(folder, "overlay.json"), "-o", binary, "./cmd/stoa"], root);
  return binary;
};

const folder = mkdtempSync(join(tmpdir(), "stoa-language-"));
after(() => rmSync(folder, { recursive: true, force: true }));
useStoa(() => ({ binary: build(folder) }));

// shown returns what people read on a page: the text of each element that has some, and
// what is spoken. Code is data, and times are written by the browser.
const shown = () => {
  const found = [];
  const skipped = "script, style, noscript, code, pre, time, textarea, svg, iframe, .mono, [data-code]";
  for (const element of document.querySelectorAll("title, body *")) {
    if (element.closest(skipped) || (element.localName !== "title" && !element.checkVisibility())) continue;
    found.push([...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE).map((node) => node.data).join(""));
    for (const name of ["aria-label", "aria-description", "title", "placeholder", "alt"]) found.push(element.getAttribute(name) ?? "");
  }
  return [...new Set(found.map((text) => text.trim()).filter(Boolean))];
};

// data are the values that the API has answered: names, addresses and words of people who
// use it, not of stoa, and what is true of them.
const data = new Set();
const learn = (value) => {
  if (typeof value === "string") for (const text of [value, value.replace(written, " ")]) data.add(text.replace(/\s+/g, " ").trim().toLowerCase());
  else if (value && typeof value === "object") for (const [name, inner] of Object.entries(value)) { data.add(name.toLowerCase()); learn(inner); }
  else data.add(String(value));
};
const known = (text) => {
  const plain = text.replace(/\s+/g, " ").trim().toLowerCase();
  return data.has(plain) || [...data].some((one) => one.includes(plain)) || plain.split(" ").every((word) => data.has(word));
};

// A word of two letters or more that is in no brackets. Units, money and times are written
// by the browser in the language of the page, keys are named as they are labeled,
// and types of events have the names of the API.
const written = /\d[\d.,]*\s?(ms|s|min|h|kB|MB|GB|bytes?|KiB|MiB|GiB|%|EUR)\b|(\b[A-Z][a-z]{2} )?\d+:\d\d(:\d\d)?(\s[AP]M)?|\b[A-Z][a-z]{2} \d{1,2}\b|\bCtrl K\b|^[a-z]+\.[a-z_]+$/g;
const foreign = (text) => {
  const rest = text.replace(/\[[^]*\]/, " ").replace(written, " ");
  return rest.split(/[·,:;()\n]| – | — /).filter((part) => /\p{L}{2}/u.test(part) && !known(part));
};

test("a stoa in another language shows no English", async (t) => {
  const products = (await call(stoa, "GET", "/api/marketplace/products?limit=100")).body;
  learn(products);
  for (const { slug } of products.products) {
    learn((await call(stoa, "GET", `/api/marketplace/products/${slug}`)).body);
    learn((await call(stoa, "GET", `/api/marketplace/products/${slug}/reviews?limit=100`)).body);
  }
  for (const as of ["nobody", "admin"]) {
    const tab = await openTab(browser, stoa);
    const reading = [];
    tab.on("response", (response) => {
      if (/json/.test(response.headers()["content-type"] ?? "")) reading.push(response.json().then(learn, () => {}));
    });
    if (as === "admin") {
      await tab.goto("/console");
      await tab.locator("input[type=email]").fill(stoa.admin.email);
      await tab.locator("input[type=password]").fill(stoa.admin.password);
      await tab.locator("form button[type=submit], form button:not([type])").first().click();
      await tab.locator(".shell").waitFor();
    }
    for (const page of pages.filter((p) => p.as === as)) {
      await t.test(page.name, async () => {
        for (const part of page.path.split(/[/?=&+]/)) data.add(part);
        await visit(tab, page.path);
        await tab.locator(page.ready ?? "main h1").first().waitFor();
        await settled(tab);
        await Promise.all(reading);
        const texts = await tab.evaluate(shown);
        assert.ok(texts.some((text) => text.startsWith("[")), "the page shows nothing of the catalog");
        assert.deepEqual(texts.flatMap(foreign), []);
      });
    }
    await tab.end();
  }
});
