// Enhances the pages that the server rendered: what works without JavaScript works better
// with it.
import { mayBeSignedIn } from "../api/session";
import { applyScheme, chosenScheme, chooseScheme, followScheme, type Choice } from "../theme/scheme";
import "../theme/tokens.css";
import "./shop.css";

// A tab in which staff see the shop as somebody else is theirs before anything asks. Its name and its storage tell: see
// api/standIn.
const as = "stoa-as";
export const seenAs = window.name == as && sessionStorage[as] && import("./standIn");

followScheme();
applyScheme(chosenScheme());
if (mayBeSignedIn()) document.documentElement.dataset["signedIn"] = "";

// Colors: the choice is there only if a script can keep it.
const chooser = document.querySelector<HTMLSelectElement>("[data-scheme]");
if (chooser) {
  chooser.value = chosenScheme();
  chooser.addEventListener("change", () => chooseScheme(chooser.value as Choice));
  (chooser.parentElement as HTMLElement).hidden = false;
}

const tongue = document.querySelector<HTMLSelectElement>("[data-language]");
if (tongue) {
  tongue.addEventListener("change", () => void import("../text/choice").then(({ choose }) => choose(tongue.value)));
  (tongue.parentElement as HTMLElement).hidden = false;
}

// A choice that sends its form needs no button.
for (const choice of document.querySelectorAll<HTMLSelectElement>("[data-submit]")) {
  choice.addEventListener("change", () => choice.form?.requestSubmit());
}
for (const button of document.querySelectorAll<HTMLElement>("[data-without-script]")) button.hidden = true;

// Whoever signs in comes back to where they were.
addEventListener(
  "click",
  (e) => {
    const link = (e.target as Element).closest<HTMLAnchorElement>('.top-nav a[href^="/sign-in"]');
    if (link && !["/sign-in", "/"].includes(location.pathname))
      link.href = `/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`;
  },
  { capture: true },
);

// "/" goes to the search, as long as nobody is typing.
addEventListener("keydown", (e) => {
  if (e.key !== "/" || e.ctrlKey || e.metaKey || e.altKey) return;
  if (e.target instanceof Element && e.target.closest("input, textarea, select")) return;
  e.preventDefault();
  document.getElementById("search")?.focus();
});

// Pictures: buttons that go one further, while there is one.
const gallery = document.querySelector<HTMLElement>("[data-gallery]");
const steps = gallery?.parentElement?.querySelector<HTMLElement>(".gallery-steps");
if (gallery && steps) {
  const show = () => {
    steps.hidden = gallery.scrollWidth <= gallery.clientWidth;
    for (const button of steps.querySelectorAll<HTMLButtonElement>("button")) {
      const end =
        button.dataset["step"] === "1"
          ? Math.abs(gallery.scrollLeft) + gallery.clientWidth >= gallery.scrollWidth - 8
          : Math.abs(gallery.scrollLeft) <= 8;
      button.ariaDisabled = String(end);
    }
  };
  steps.addEventListener("click", (e) => {
    const step = (e.target as Element).closest<HTMLElement>("[data-step]")?.dataset["step"];
    if (step) gallery.scrollBy({ left: Number(step) * gallery.clientWidth * (document.dir === "rtl" ? -0.9 : 0.9) });
  });
  gallery.addEventListener("scroll", show, { passive: true });
  addEventListener("resize", show);
  show();
}

// What plugins add comes after everything else, and only if it works.
const place = document.querySelector<HTMLElement>("[data-blocks]");
if (place) {
  const show = async () => (await import("./plugins")).showPlugins(place);
  addEventListener("load", () => setTimeout(() => void show().catch(() => undefined), 200));
}
