// In another language no page shows a word of English. The language is the pseudo language en-XA, in which every
// text has accents and stands in brackets: a demo has it.
import assert from "node:assert/strict";
import {
  accessibleEverywhere, browser, call, drawn, openTab, patience, scrollsSideways, settled, stoa, sweep, test, useStoa,
  visit,
} from "./kit.js";
import { pages } from "./pages.js";

useStoa();
const phone = { width: 360, height: 740 };
const inPseudo = (tab, language = "en-XA") => tab.context().addCookies([{ name: "stoa-language", value: language, url: stoa.url }]);

// signIn opens the console without knowing its words.
const signIn = async (tab) => {
  await tab.goto("/console");
  await tab.locator("input[type=email]").fill(stoa.admin.email);
  await tab.locator("input[type=password]").fill(stoa.admin.password);
  await tab.locator("form button[type=submit], form button:not([type])").first().click();
  await tab.locator(".shell").waitFor();
};

// shown returns what people read on a page: the text of each element that has some, and
// what is spoken. Code is data, times are written by the browser, and links to other languages are in these.
const shown = () => {
  const found = [];
  const skipped = "[hreflang], script, style, noscript, code, pre, time, textarea, svg, iframe, .mono, [data-code]";
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

// en-XA is longer than any language, so its pages are looked at on a phone, too.
sweep("a stoa in another language shows no English, and no page is wider than a phone", async (t) => {
  const products = (await call(stoa, "GET", "/api/marketplace/products?limit=100")).body;
  learn(products);
  for (const { slug } of products.products) {
    learn((await call(stoa, "GET", `/api/marketplace/products/${slug}`)).body);
    learn((await call(stoa, "GET", `/api/marketplace/products/${slug}/reviews?limit=100`)).body);
  }
  for (const as of ["nobody", "admin"]) {
    const tab = await openTab(browser, stoa);
    await inPseudo(tab);
    const reading = [];
    tab.on("response", (response) => {
      if (/json/.test(response.headers()["content-type"] ?? "")) reading.push(response.json().then(learn, () => {}));
    });
    if (as === "admin") await signIn(tab);
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
        const size = tab.viewportSize();
        await tab.setViewportSize(phone);
        await drawn(tab);
        const wider = await scrollsSideways(tab);
        await tab.setViewportSize(size);
        assert.ok(wider <= 0, "the page is wider than a phone");
      });
    }
    await tab.end();
  }
});

// ar-XB runs from right to left.
sweep("no page that runs from right to left is wider than a phone", async () => {
  const wide = [];
  for (const as of ["nobody", "admin"]) {
    const tab = await openTab(browser, stoa, phone);
    await inPseudo(tab, "ar-XB");
    if (as === "admin") await signIn(tab);
    for (const page of pages.filter((p) => p.as === as)) {
      await visit(tab, page.path);
      await tab.locator(page.ready ?? "main h1").first().waitFor();
      await settled(tab);
      if ((await scrollsSideways(tab)) > 0) wide.push(page.name);
    }
    await tab.end();
  }
  assert.deepEqual(wide, []);
});

// mirrored are the icons of a page that are drawn the other way round, and all that are there.
const mirrored = (tab) => tab.evaluate(() => {
  const icons = [...document.querySelectorAll("main svg.icon, main svg.tabler-icon, [role=listbox] svg")];
  const named = icons.map((icon) => [icon.getAttribute("class").match(/tabler-icon-\S+|along/)?.[0] ?? "icon", getComputedStyle(icon).scale]);
  const of = (some) => [...new Set(some.map(([name]) => name))].sort();
  return { all: of(named), turned: of(named.filter(([, scale]) => scale === "-1 1")) };
});

sweep("icons that point along the line are mirrored where it begins at the right, and no others", async () => {
  for (const [language, turns] of [["ar-XB", true], ["de", false]]) {
    const tab = await openTab(browser, stoa);
    await inPseudo(tab, language);
    await signIn(tab);
    const seen = async (path, pointing, others) => {
      await visit(tab, path);
      const { all, turned } = await mirrored(tab);
      assert.deepEqual(turned, turns ? pointing : [], `${path} in ${language}`);
      for (const name of [...pointing, ...others]) assert.ok(all.includes(name), `${path} shows no ${name}: ${all}`);
    };
    const chevrons = ["s-left", "-left", "-right", "s-right"].map((end) => `tabler-icon-chevron${end}`);
    await seen("/console/shop/orders", chevrons.sort(), []);
    await seen("/console/shop/products/harbor-analytics", ["tabler-icon-arrow-left", "tabler-icon-arrow-right"],
      ["tabler-icon-trash", "tabler-icon-external-link", "tabler-icon-arrow-up"]);
    await seen("/p/harbor-analytics", ["along"], ["icon"]);
    await tab.end();
  }
});

test("a page behind a mailed link is read in another language, and keeps the link", async () => {
  const tab = await openTab(browser, stoa, phone);
  await tab.goto("/reset-password#ABCDEFGHIJKLMNOPQRSTUVWXYZ");
  await tab.getByRole("heading", { name: "Choose a new password" }).waitFor();
  await tab.getByRole("navigation", { name: "Language" }).getByRole("link", { name: "Deutsch" }).click();
  await tab.getByRole("heading", { name: "Neues Passwort wählen" }).waitFor();
  assert.equal(new URL(tab.url()).hash, ""); // the link is taken along, and out of the address again
  await accessibleEverywhere(tab, "a page behind a link, in German");
  await tab.goto("/register");
  assert.equal(await tab.locator("html").getAttribute("lang"), "de");
  await tab.end();
});

test("without JavaScript, a page is read in another language", async () => {
  const context = await browser.newContext({ javaScriptEnabled: false, baseURL: stoa.url });
  context.setDefaultTimeout(patience);
  const tab = await openTab(browser, stoa, { context });
  await tab.goto("/nowhere");
  await tab.getByRole("link", { name: "日本語" }).click();
  assert.equal(await tab.locator("html").getAttribute("lang"), "ja");
  await tab.end();
  await context.close();
});
