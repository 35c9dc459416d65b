// Starts the pages that a script shows. Where the server wrote something, people see that
// before React is run: on a slow machine that takes longer than anything else.
import { seenAs } from "./page";

const run = async () =>
  (await seenAs, import("./run")).catch(() => {
    document.querySelector("#app .waiting")?.remove();
    (document.querySelector("[data-unloaded]") as HTMLElement).hidden = false;
  });
if (document.visibilityState === "visible" && document.querySelector("#app h1"))
  requestAnimationFrame(() => setTimeout(() => void run()));
else void run();
