// Where the focus goes when what has it goes away: a dialog closes, a button is disabled.
import { useEffect } from "react";

// useFocusBack returns the focus to what opened a dialog, also if the dialog goes away at
// once instead of closing. If the action takes the opener away, now or once its list is
// read again, its neighbor in the list gets the focus.
export const useFocusBack = (open: boolean) => {
  useEffect(() => {
    if (!open) return;
    const opener = document.activeElement as HTMLElement | null;
    const neighbor = neighborOf(opener);
    return () =>
      void setTimeout(() => {
        const now = document.activeElement;
        if (now !== document.body && !now?.closest("[role=dialog]")) return; // somebody else took it
        if (!opener?.isConnected) return neighbor();
        opener.focus({ preventScroll: true });
        onRemoval(opener, neighbor);
      });
  }, [open]);
};

// neighborOf returns a function that focuses what is nearest to an element that went away:
// a button of the next row, or of the one before; else the heading of the list; else the page.
const neighborOf = (el: HTMLElement | null): (() => void) => {
  const row = el?.closest("tr, li");
  const rows = row ? [row.nextElementSibling, row.previousElementSibling] : [];
  const section = el?.closest("section");
  return () => {
    const buttons = rows.map((one) =>
      one?.isConnected ? [...one.querySelectorAll<HTMLElement>("button, a[href]")].at(-1) : null,
    );
    const heading = section?.isConnected ? section.querySelector<HTMLElement>("h2") : null;
    if (heading) heading.tabIndex = -1;
    (buttons.find((one) => one) ?? heading ?? document.querySelector("main"))?.focus({ preventScroll: true });
  };
};

// onRemoval calls then when an element that has the focus leaves the document, unless the
// focus moves on before.
const onRemoval = (el: HTMLElement, then: () => void): void => {
  const stop = () => {
    watch.disconnect();
    document.removeEventListener("focusin", stop);
  };
  const watch = new MutationObserver(() => {
    if (el.isConnected) return;
    stop();
    if (document.activeElement === document.body) then();
  });
  watch.observe(document.body, { childList: true, subtree: true });
  document.addEventListener("focusin", stop);
};

// keepFocus gives the focus back to a button that lost it by being disabled while its
// action was on the way, or to the button that took its place in a form that was drawn
// again, unless the focus went elsewhere. It returns what ends that.
export const keepFocus = (): (() => void) => {
  let last: HTMLElement | null = null;
  const remember = (e: FocusEvent) => {
    last = (e.target as HTMLElement).closest<HTMLElement>("button");
  };
  const watch = new MutationObserver(() => {
    if (!last || document.activeElement !== document.body) return;
    const heir = last.isConnected ? last : successorOf(last);
    if (heir && !heir.hasAttribute("disabled")) heir.focus({ preventScroll: true });
  });
  document.addEventListener("focusin", remember);
  watch.observe(document.body, { attributes: true, attributeFilter: ["disabled"], childList: true, subtree: true });
  return () => {
    watch.disconnect();
    document.removeEventListener("focusin", remember);
  };
};

// successorOf is the button of the same form that was drawn again.
const successorOf = (button: HTMLElement): HTMLElement | undefined =>
  button.getAttribute("type") !== "submit"
    ? undefined
    : [...document.querySelectorAll<HTMLElement>("main button[type=submit]")].find(
        (one) => one.textContent === button.textContent,
      );
