// The addresses of the signed-in part. Links are plain anchors, those of the server's
// header too: one listener keeps those that lead to these pages inside of the script.
import { useState, useSyncExternalStore } from "react";

export type Params = Record<string, string>;

const patterns = [
  "/sign-in",
  "/sign-in/continue",
  "/checkout/:slug/:tier",
  "/orders",
  "/orders/:id",
  "/payment/portal/:id",
  "/licenses",
  "/licenses/:id",
  "/account",
  "/account/:screen",
] as const;

export type Pattern = (typeof patterns)[number];

export interface Match {
  pattern: Pattern;
  params: Params;
}

// match finds the page at a path, or null if the server has it.
export const match = (path: string): Match | null => {
  const parts = path.replace(/\/$/, "").split("/");
  for (const pattern of patterns) {
    const wanted = pattern.split("/");
    if (wanted.length !== parts.length) continue;
    const params: Params = {};
    const fits = wanted.every((name, i) => {
      const part = parts[i] as string;
      if (!name.startsWith(":")) return name === part;
      try {
        params[name.slice(1)] = decodeURIComponent(part);
      } catch {
        return false;
      }
      return part !== "";
    });
    if (fits) return { pattern, params };
  }
  return null;
};

const listeners = new Set<() => void>();
const changed = () => listeners.forEach((listener) => listener());
const listen = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useAddress = (): string => useSyncExternalStore(listen, () => location.pathname + location.search);

// go shows a page: one of these, or one of the server's.
export const go = (address: string, replace = false): void => {
  const to = new URL(address, location.href);
  if (to.origin !== location.origin || !match(to.pathname)) {
    if (replace) location.replace(to);
    else location.assign(to);
    return;
  }
  if (replace) history.replaceState(null, "", to);
  else history.pushState(null, "", to);
  scrollTo(0, 0);
  changed();
};

// useLeaving leaves for another site's page, for a payment: it is busy until the browser has left. The browser may come
// back to this page as it was.
export const useLeaving = () => {
  const [leaving, setLeaving] = useState(false);
  const leave = (url: string) => {
    setLeaving(true);
    addEventListener("pageshow", () => setLeaving(false), { once: true });
    location.assign(url);
  };
  return { leaving, leave };
};

// within is an address of this shop that another page asked to return to; "/licenses" for
// any other. It is complete: a path that begins with "//" would name another host.
export const within = (next: string | null): string => {
  const to = next?.startsWith("/") && URL.canParse(next, location.origin) ? new URL(next, location.origin) : null;
  return to?.origin === location.origin ? to.href : "/licenses";
};

// pathOf is an address of this shop without the origin.
export const pathOf = (address: string): string => {
  const { pathname, search } = new URL(address, location.origin);
  return pathname + search;
};

export const follow = (): void => {
  addEventListener("popstate", changed);
  document.addEventListener("click", (e) => {
    if (e.defaultPrevented || e.button !== 0 || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey) return;
    const link = (e.target as Element).closest<HTMLAnchorElement>("a[href]:not([href^='#'])");
    if (!link || link.target || link.download || link.origin !== location.origin || !match(link.pathname)) return;
    e.preventDefault();
    go(link.href);
  });
};
