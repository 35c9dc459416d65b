"use strict";
// The beginning of every page's script. The page's own script follows in the same
// <script> element, the only one that the page's policy allows.

// t is a text of the catalog (web/texts), with values in place of {name}. words, which
// comes before, has those of this page.
const t = (key, values = {}) => words[key].replace(/\{(\w+)\}/g, (hole, name) => values[name] ?? hole);

const at = (id) => document.getElementById(id);

// takeToken removes the token from the address and returns it. The token is a
// secret: it must not stay in the address bar or the history.
const takeToken = () => {
  const found = location.hash.slice(1);
  if (found) history.replaceState(null, "", location.pathname);
  return found;
};
let token = takeToken();

// onLink calls begin when a link with a token is opened in a tab that already shows
// the page: the browser does not load the page again then.
const onLink = (begin) => addEventListener("hashchange", () => {
  const found = takeToken();
  if (!found) return;
  token = found;
  begin();
});

// Whoever chooses a language has it on the pages that follow, too, and takes along the link that they came with.
for (const link of document.querySelectorAll("a[hreflang]")) {
  link.addEventListener("click", () => {
    const secure = location.protocol === "https:" ? "; Secure" : "";
    document.cookie = `stoa-language=${link.hreflang}; Path=/; SameSite=Lax; Max-Age=34560000${secure}`;
    link.hash = token;
  });
}

// reveal shows one part of the page and moves the focus to its heading, so that a
// screen reader announces it.
const reveal = (id) => {
  for (const part of document.querySelectorAll("main > [id]")) part.hidden = part.id !== id;
  const heading = at(id).querySelector("h1");
  heading.focus();
  return heading;
};
// shop is the shop's name, if it has one, with which every title ends.
const shop = document.querySelector(".brand[data-named]")?.textContent;
const entitle = (text) => { document.title = shop ? `${text} · ${shop}` : text; };
const show = (id) => entitle(reveal(id).textContent);
const done = (title, text) => {
  at("done-title").textContent = title;
  entitle(title);
  reveal("done");
  at("done-text").textContent = text;
};

// fault shows text as the error of the field that it describes; an empty text
// clears the error. It returns the field, if there is one.
const fault = (name, text) => {
  at(name + "-error").textContent = text;
  const field = document.querySelector(`[aria-describedby~="${name}-error"]`);
  if (text) field?.setAttribute("aria-invalid", "true"); else field?.removeAttribute("aria-invalid");
  return field;
};
const refuse = (name, text) => fault(name, text)?.focus();

// post sends body as JSON, without cache or referrer. No cookie goes or comes, unless the
// session that begins is to stay (stays).
const post = async (path, body, access, stays) => {
  const headers = { "Content-Type": "application/json" };
  if (access) headers.Authorization = "Bearer " + access;
  if (stays) headers["X-Refresh-Token"] = "cookie";
  const res = await fetch("/" + path, {
    method: "POST", headers, body: body && JSON.stringify(body),
    credentials: stays ? "same-origin" : "omit", cache: "no-store", referrerPolicy: "no-referrer",
  });
  return {
    ok: res.ok, status: res.status, id: res.headers.get("X-Request-Id"), wait: res.headers.get("Retry-After"),
    body: await res.json().catch(() => ({})),
  };
};

// Refusals are worded by their code in the page's language. Only English pages have no words for them: they show the
// API's, which are more precise.
const english = !words["errors.page.general"];
const duration = (seconds) => {
  const [unit, size] = [["hour", 3600], ["minute", 60]].find(([, size]) => seconds > size) ?? ["second", 1];
  return new Intl.NumberFormat(document.documentElement.lang, { style: "unit", unit, unitDisplay: "long" }).format(Math.ceil(seconds / size));
};

// reason says why an answer, in either of the API's two forms, is an error. If the failure is stoa's, it ends with the
// request id, by which the operator finds it in the log. For a code without words the API's message follows.
const reason = ({ status, id, wait, body }) => {
  const message = body.error?.message ?? body.message;
  if (status >= 500 || !message) return t(id ? "failedId" : "failed", { id });
  if (english) return message;
  const key = `errors.page.${body.error?.code ?? body.error}`;
  return words[key] ? t(key, { time: duration(Number(wait) || 60) }) : `${words["errors.page.general"]} (${message})`;
};

// wrong says what is wrong with a field, which English sentences begin with (label).
const wrong = (issue, label) => {
  if (english) return label ? issue.message.replace(issue.path, label) : issue.message;
  const field = words[`errors.fields.${issue.path.replace("newPassword", "password")}`];
  if (field && ["out_of_range", "invalid"].includes(issue.code)) return field;
  return words[`errors.issues.${issue.code}`] ?? `${words["errors.page.general"]} (${issue.message})`;
};

// send runs work for a form. The button is disabled until it is done, so nothing is
// sent twice.
const send = async (form, work) => {
  const button = form.querySelector("button:not([type])");
  button.disabled = true;
  try {
    await work();
  } catch {
    refuse(form.id, t("unreachable"));
  } finally {
    button.disabled = false;
  }
};

for (const box of document.querySelectorAll("[data-shows]")) {
  box.addEventListener("change", () => { at(box.dataset.shows).type = box.checked ? "text" : "password"; });
}

// What the storefront keeps in this browser: the choice of colors, and that somebody is
// signed in, which decides what the header shows (web/src/theme, web/src/api).
const kept = (name) => { try { return localStorage.getItem(name); } catch { return null; } };
const signedIn = "stoa-signed-in";
if (["light", "dark"].includes(kept("stoa-color-scheme"))) document.documentElement.dataset.mantineColorScheme = kept("stoa-color-scheme");
if (kept(signedIn)) document.documentElement.dataset.signedIn = "";

