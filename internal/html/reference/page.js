"use strict";
// The page works without this script. It adds the search, the mark at the present
// section, buttons that copy, and the address that the page was loaded from.

const at = (id) => document.getElementById(id);
const search = at("search");
const menu = at("menu");
const contents = at("contents");
const results = at("results");
const found = at("found");

for (const pre of document.querySelectorAll(".curl")) {
  if (location.origin !== document.body.dataset.base) pre.textContent = pre.textContent.replaceAll(document.body.dataset.base, location.origin);
}

// Copy buttons. Without https there is no clipboard, so the text is selected instead.
const copy = async (pre, button) => {
  try {
    await navigator.clipboard.writeText(pre.textContent);
    button.textContent = "Copied";
  } catch {
    getSelection().selectAllChildren(pre);
    button.textContent = "Selected";
  }
  setTimeout(() => { button.textContent = "Copy"; }, 2000);
};
for (const pre of document.querySelectorAll("pre")) {
  const box = document.createElement("div");
  const button = document.createElement("button");
  box.className = "copy";
  button.type = "button";
  button.textContent = "Copy";
  button.addEventListener("click", () => copy(pre, button));
  pre.replaceWith(box);
  box.append(pre, button);
}

// The mark at the section that is being read: the last one that begins above a third
// of the window.
const links = new Map();
for (const link of contents.querySelectorAll('a[href^="#"]')) links.set(link.getAttribute("href").slice(1), link);
const places = [...links.keys()].map(at).filter(Boolean);
let marked;
const mark = () => {
  let now = places[0];
  for (const place of places) if (place.getBoundingClientRect().top <= innerHeight / 3) now = place;
  if (innerHeight + scrollY >= document.documentElement.scrollHeight - 2) now = places.at(-1);
  const link = links.get(now.id);
  if (link === marked) return;
  marked?.removeAttribute("aria-current");
  link.setAttribute("aria-current", "true");
  marked = link;
  const nav = contents.parentElement;
  const [box, room] = [link.getBoundingClientRect(), nav.getBoundingClientRect()];
  if (nav.scrollHeight > nav.clientHeight && (box.top < room.top + 120 || box.bottom > room.bottom - 40)) {
    nav.scrollTop += box.top - room.top - room.height / 2;
  }
};
let waiting = false;
addEventListener("scroll", () => {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => { waiting = false; mark(); });
}, { passive: true });
mark();

// The menu of narrow windows.
const openMenu = (open) => {
  document.body.classList.toggle("open", open);
  menu.setAttribute("aria-expanded", String(open));
};
menu.hidden = search.hidden = false;
document.body.classList.add("scripted");
menu.addEventListener("click", () => openMenu(menu.getAttribute("aria-expanded") !== "true"));
contents.addEventListener("click", (e) => { if (e.target.closest("a")) openMenu(false); });

// The index: operations, sections and shared errors, each with what decides its rank.
let index;
const makeIndex = () => {
  const entry = (place, title, hint) => ({
    id: place.id, title, hint, near: `${title} ${hint} ${place.id}`.toLowerCase(), far: place.textContent.toLowerCase(),
  });
  const operations = [...document.querySelectorAll("article")].map((place) =>
    entry(place, place.querySelector("h3 a").textContent, place.querySelector(".address").textContent.trim().replace(/\s+/g, " ")));
  const errors = [...document.querySelectorAll(".errors tr")].map((row) =>
    entry(row, [...row.querySelectorAll("td + td > code")].map((code) => code.textContent).join(" "), "Error " + row.querySelector(".status").textContent));
  const sections = [...document.querySelectorAll("section > h2")].map((title) => {
    const text = title.nextElementSibling;
    return { id: title.parentElement.id, title: title.textContent, hint: "Section", near: title.textContent.toLowerCase(), far: text.textContent.toLowerCase() };
  });
  return [...operations, ...sections, ...errors];
};
const rank = (entry, words) => {
  if (entry.title.toLowerCase().startsWith(words.join(" "))) return 4;
  if (words.every((word) => entry.title.toLowerCase().includes(word))) return 3;
  if (words.every((word) => entry.near.includes(word))) return 2;
  return words.every((word) => entry.near.includes(word) || entry.far.includes(word)) ? 1 : 0;
};

const most = 40;
const look = () => {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const searching = words.length > 0;
  contents.hidden = searching;
  results.hidden = !searching;
  results.replaceChildren();
  found.textContent = "";
  if (!searching) return;
  index ??= makeIndex();
  const hits = index.map((entry) => [rank(entry, words), entry]).filter(([score]) => score).sort(([a], [b]) => b - a);
  for (const [, entry] of hits.slice(0, most)) {
    const [item, link, hint] = ["li", "a", "small"].map((name) => document.createElement(name));
    link.href = "#" + entry.id;
    link.textContent = entry.title;
    hint.textContent = entry.hint;
    link.append(hint);
    item.append(link);
    results.append(item);
  }
  found.textContent = hits.length === 1 ? "1 result" : `${hits.length || "No"} results`;
};
const stop = () => { search.value = ""; look(); };
search.addEventListener("input", look);

// Enter opens the first result, the arrow keys go through them, Escape ends the search.
const leave = () => { stop(); openMenu(false); };
results.addEventListener("click", (e) => { if (e.target.closest("a")) setTimeout(leave); });
search.addEventListener("keydown", (e) => {
  if (e.key === "Enter") results.querySelector("a")?.click();
});
addEventListener("keydown", (e) => {
  const typing = e.target.closest?.("input, textarea");
  if (e.key === "/" && !typing && !e.ctrlKey && !e.metaKey && !e.altKey) {
    e.preventDefault();
    search.focus();
  } else if (e.key === "Escape" && (typing || results.contains(e.target))) {
    leave();
    search.blur();
  } else if ((e.key === "ArrowDown" || e.key === "ArrowUp") && (typing || results.contains(e.target))) {
    const list = [search, ...results.querySelectorAll("a")];
    const next = list[list.indexOf(e.target) + (e.key === "ArrowDown" ? 1 : -1)];
    if (!next) return;
    e.preventDefault();
    next.focus();
  }
});
