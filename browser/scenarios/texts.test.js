// Every word that people read is in web/texts/en.json: no page and no template has one of
// its own, no key is missing, and none is left over.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { faults, read, tags } from "../../web/texts.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const ts = createRequire(join(root, "web/package.json"))("typescript");

const files = (folder, ...endings) => readdirSync(join(root, folder), { recursive: true })
  .map((name) => join(root, folder, name))
  .filter((name) => endings.some((ending) => name.endsWith(ending)) && !name.endsWith(".d.ts"));
const nameOf = (file) => relative(root, file);

// Two letters in a row are a word. Names of keys, of formats and of stoa itself are not
// translated.
const names = /\b(stoa|JSON|ZIP|HTTP|https?|URL|SHA-256|Ctrl|Esc|Enter|ms|MiB)\b/g;
const isWord = (text) => /\p{L}{2}/u.test(text.replace(/&\w+;/g, "").replace(names, ""));

const spoken = new Set(["aria-label", "aria-description", "aria-roledescription", "title", "placeholder", "label", "alt", "description", "ariaLabel"]);

// joins are the operators whose sides are shown, both or one.
const joins = new Set([ts.SyntaxKind.PlusToken, ts.SyntaxKind.BarBarToken, ts.SyntaxKind.QuestionQuestionToken]);

// strayIn finds the words that a TSX file shows: text between tags, and what is spoken or
// shown of attributes.
const strayIn = (file, text) => {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const found = [];
  const tell = (node, text) => {
    if (isWord(text)) found.push(`${nameOf(file)}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}: ${text.trim()}`);
  };
  // literals are the texts that an expression may turn into.
  const literals = (node) => {
    if (ts.isStringLiteralLike(node)) tell(node, node.text);
    else if (ts.isTemplateExpression(node)) [node.head, ...node.templateSpans.map((span) => span.literal)].forEach((part) => tell(node, part.text));
    else if (ts.isConditionalExpression(node)) [node.whenTrue, node.whenFalse].forEach(literals);
    else if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.AmpersandAmpersandToken) literals(node.right);
    else if (ts.isBinaryExpression(node) && joins.has(node.operatorToken.kind)) [node.left, node.right].forEach(literals);
    else if (ts.isParenthesizedExpression(node)) literals(node.expression);
  };
  const visit = (node) => {
    if (ts.isJsxText(node)) tell(node, node.text);
    if (ts.isJsxExpression(node) && node.expression && !ts.isJsxAttribute(node.parent)) literals(node.expression);
    if (ts.isJsxAttribute(node) && spoken.has(node.name.getText()) && node.initializer) {
      literals(ts.isJsxExpression(node.initializer) ? node.initializer.expression : node.initializer);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
};

// strayInTemplate does the same for a template of Go.
const strayInTemplate = (file, text) => {
  const plain = text.replace(/\{\{[^}]*\}\}/g, "").replace(/<!--[^]*?-->|<(script|style|code)\b[^]*?<\/\1>/g, "");
  const attributes = [...plain.matchAll(/\s([\w-]+)="([^"]*)"/g)].filter(([, name]) => spoken.has(name)).map(([, , value]) => value);
  return [...plain.split(/<[^>]*>/), ...attributes].filter(isWord).map((found) => `${nameOf(file)}: ${found.trim()}`);
};

const pageFiles = files("web/src", ".tsx");
const templates = [...files("internal/html/pages", ".html"), ...files("internal/html/storefront/templates", ".html")];

test("no page has words of its own", () => {
  const found = [
    ...pageFiles.flatMap((file) => strayIn(file, readFileSync(file, "utf8"))),
    // The frame of plugins' pages is replaced before anybody sees it.
    ...templates.filter((file) => !file.endsWith("frame.html")).flatMap((file) => strayInTemplate(file, readFileSync(file, "utf8"))),
  ];
  assert.deepEqual(found, []);
});

test("words of a page's own are found", () => {
  for (const page of [
    "<p>Hello there</p>", '<input placeholder="Your name" />', '<p title={ok ? "Yes, sure" : t("no")} />', "<p>{late && `${n} days`}</p>",
    '<p>{ok ? t("yes") : "No way"}</p>',
  ]) assert.equal(strayIn(join(root, "x.tsx"), `const A = () => ${page};`).length, 1, page);
  for (const page of ['<p className="row" data-tone="bad">{t("key.of")} · {n}</p>', '<p>{state === "late" && t("late")}</p>', "<p>—</p>"]) {
    assert.deepEqual(strayIn(join(root, "x.tsx"), `const A = () => ${page};`), [], page);
  }
  assert.equal(strayInTemplate(join(root, "x.html"), '<p class="ok">Hello {{.Name}}</p><img alt="A picture">').length, 2);
});

// keysOf lists the keys of a section, those for numbers without their ending.
const keysOf = (part, path = "") => Object.entries(part).flatMap(([name, inner]) =>
  typeof inner === "string" ? [path + name] : keysOf(inner, `${path}${name}.`));
const catalog = JSON.parse(readFileSync(join(root, "web/texts/en.json"), "utf8"));
for (const tag of tags()) {
  test(`${tag} has every text of English, with the same holes and all forms for numbers`, () => assert.deepEqual(faults(tag, read(tag)), []));
}

test("a text that is missing, left over or has other holes is found", () => {
  const english = { shop: { a: "A {b}", n: { one: "one", other: "{n} of them" } } };
  assert.deepEqual(faults("ja", { shop: { a: "あ {b}", n: { other: "{n}" } } }, english), []);
  for (const shop of [
    { n: { other: "{n}" } }, { a: "あ", n: { other: "{n}" } }, { a: "あ {b}", n: { one: "x", other: "{n}" } },
    { a: "あ {b}", more: "x", n: { other: "{n}" } }, { a: "あ {b}", n: { other: "{m}" } },
  ]) assert.equal(faults("ja", { shop }, english).length, 1, JSON.stringify(shop));
  assert.equal(faults("fr", { shop: { a: "A {b}", n: { one: "un", other: "{n}" } } }, english).length, 1, "French has many");
});

const base = (key) => key.replace(/\.(zero|one|two|few|many|other)$/, "");

// patterns are the keys that code may ask for: a string, or a template with holes.
const patternsIn = (file) => {
  const text = readFileSync(file, "utf8");
  if (file.endsWith(".html") || file.endsWith(".go")) {
    return [...text.matchAll(/"([\w.-]+)"/g)].map(([, key]) => (key.endsWith(".") ? { like: new RegExp(`^${key.replaceAll(".", "\\.")}[\\w-]+$`) } : { exact: key }));
  }
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const found = [];
  const visit = (node) => {
    if (ts.isStringLiteralLike(node)) found.push({ exact: node.text });
    if (ts.isTemplateExpression(node)) {
      const parts = [node.head.text, ...node.templateSpans.map((span) => span.literal.text)];
      if (parts[0].includes(".") || /^[a-z]\w*\.?$/.test(parts[0])) {
        found.push({ like: new RegExp(`^${parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("[\\w.+:/-]+")}$`) });
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
};

// Pages that are alike share a template: internal/html/pages/links.go puts the sections of each in
// place of the template's own.
const standIns = { prove: ["verify", "change"], once: ["disown", "revert", "notMe", "keepFactor", "keepAccount"] };
const meant = (key) => {
  const [section, ...rest] = key.split(".");
  return rest.length > 0 && Object.hasOwn(standIns, section) ? standIns[section].map((one) => [one, ...rest].join(".")) : [key];
};

const users = {
  common: [...files("web/src", ".tsx", ".ts"), ...templates],
  shop: [...files("web/src/storefront", ".tsx", ".ts"), ...templates, ...files("internal/html/storefront", ".go"), ...files("internal/html/wording", ".go")],
  pages: [...files("internal/html/pages", ".html", ".js"), ...files("internal/html/pages", ".go")],
  console: files("web/src/console", ".tsx", ".ts"),
};

for (const [section, code] of Object.entries(users)) {
  test(`every text of ${section} is used`, () => {
    const patterns = code.flatMap(patternsIn);
    const exact = new Set(patterns.map((p) => p.exact).filter(Boolean).flatMap(meant));
    const like = patterns.map((p) => p.like).filter(Boolean);
    const unused = keysOf(catalog[section]).filter((key) =>
      !exact.has(key) && !exact.has(base(key)) && !exact.has(`${section}.${key}`) && !like.some((one) => one.test(key) || one.test(base(key))));
    assert.deepEqual(unused, []);
  });
}

// What TypeScript does not check: keys in templates and in the scripts of internal/html/pages.
test("no text is missing", () => {
  const all = new Set(Object.entries(catalog).flatMap(([section, part]) => keysOf(part, `${section}.`)));
  const missing = [];
  for (const file of [...templates, ...files("internal/html/pages", ".js")]) {
    const own = file.includes("internal/html/pages") ? "pages" : "shop";
    const text = readFileSync(file, "utf8");
    const uses = file.endsWith(".js")
      ? [...text.matchAll(/\b(?:t|count)\(([^)]*?)[,)]/g)].flatMap(([, call]) => [...call.matchAll(/"([\w.]+)"/g)]).map(([, key]) => ["t", key])
      : [...text.matchAll(/[{(]\s*(?:\w+ )?(t|s|c|count) "([\w.]+)"/g)].map(([, by, key]) => [by, key]);
    for (const [by, key] of uses.flatMap(([by, key]) => meant(key).map((one) => [by, one]))) {
      const full = `${{ c: "common", s: "shop" }[by] ?? own}.${key}`;
      if (!all.has(full) && !all.has(`${full}.other`)) missing.push(`${nameOf(file)}: ${full}`);
    }
  }
  assert.deepEqual(missing, []);
});
