// A tab in which somebody of the staff sees the shop as one of its users. The session of that tab is theirs for half an
// hour: it never asks for another token, and leaves the cookie with which staff are signed in alone.
import section from "../../texts/en.json?section=shop&only=standIn";
import { key, type StandIn } from "../api/standIn";

// Not with texts(), which would be in a file of its own for every page then.
const word = (key: `standIn.${"label" | "reads" | "writes" | "end" | "left.one" | "left.other"}`): string =>
  key.split(".").reduce<unknown>((part, name) => (part as Record<string, unknown>)[name], section) as string;
const plurals = new Intl.PluralRules(document.documentElement.lang || "en");
const as = JSON.parse(sessionStorage.getItem(key) ?? "{}") as StandIn;
const hint = "stoa-signed-in"; // of staff, in all other tabs
const send = window.fetch.bind(window);
const left = (): number => Date.parse(as.endsAt) - Date.now();

// leave makes the tab an ordinary one, and shows where it began.
const leave = (): Promise<never> => {
  sessionStorage.removeItem(key);
  window.name = "";
  location.replace(`/console/people/${as.user.id}`);
  return new Promise(() => undefined); // nothing more happens here
};

const end = async (): Promise<never> => {
  const bearer = { Authorization: `Bearer ${as.token}` };
  await send("/auth/logout", { method: "POST", credentials: "omit", headers: bearer }).catch(() => undefined);
  return leave();
};

window.fetch = async (input, init) => {
  const request = new Request(input, init);
  const { pathname, origin } = new URL(request.url);
  if (origin !== location.origin) return send(request);
  if (pathname === "/auth/refresh") {
    if (left() <= 0) return leave();
    return Response.json({ data: { access_token: as.token, expires_in: Math.ceil(left() / 1000), user: as.user } });
  }
  if (pathname === "/auth/logout") {
    localStorage.setItem(hint, "1"); // the page took it away, and staff are still signed in
    return end();
  }
  const answer = await send(request);
  return answer.status === 401 && request.headers.has("Authorization") ? leave() : answer;
};

document.documentElement.dataset["seenAs"] = "";
const bar = document.createElement("div");
// Set by script: a style sheet of its own would be named in the script of every page.
bar.style.cssText =
  "position:sticky;top:0;z-index:10;display:flex;flex-wrap:wrap;gap:4px 16px;align-items:center;padding:8px 16px;" +
  "border-bottom:2px solid var(--bad);background:var(--page);color:var(--ink)";
bar.setAttribute("role", "region");
bar.setAttribute("aria-label", word("standIn.label"));
const says = document.createElement("p");
says.style.cssText = "flex:1 1 240px;margin:0;overflow-wrap:anywhere";
says.textContent = word(as.write ? "standIn.writes" : "standIn.reads")
  .replace("{staff}", () => as.staff)
  .replace("{user}", () => as.user.username);
const time = document.createElement("span");
time.style.fontVariantNumeric = "tabular-nums";
const button = document.createElement("button");
button.type = "button";
button.className = "button slim";
button.textContent = word("standIn.end");
button.addEventListener("click", () => void end());
bar.append(says, time, button);
document.body.prepend(bar);

// Somebody else may end it, and a page that is only read asks for nothing.
const ask = () =>
  void window.fetch("/auth/account", { headers: { Authorization: `Bearer ${as.token}` } }).catch(() => undefined);

const tick = () => {
  if (left() <= 0) void leave();
  if (!document.hidden) ask();
  const n = Math.max(1, Math.ceil(left() / 60_000));
  time.textContent = word(plurals.select(n) === "one" ? "standIn.left.one" : "standIn.left.other").replace(
    "{n}",
    String(n),
  );
};
tick();
document.addEventListener("visibilitychange", tick);
setInterval(tick, 5_000);
