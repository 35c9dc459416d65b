import {
  IconCalendarEvent,
  IconHome,
  IconPalette,
  IconPlug,
  IconSettings,
  IconShoppingBag,
  IconUsers,
} from "../kit/icons";
import { Link, useRouterState } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { t } from "../text";
import { openAreas, type Area } from "./areas";

const icons: Record<Area, typeof IconHome> = {
  overview: IconHome,
  shop: IconShoppingBag,
  plugins: IconPlug,
  themes: IconPalette,
  people: IconUsers,
  events: IconCalendarEvent,
  settings: IconSettings,
};

// Rail is the console's navigation: the areas that the user may see. On narrow screens it slides over the
// page while open.
export const Rail = ({ open, onClose }: { open: boolean; onClose: () => void }) => {
  useEffect(() => {
    if (!open) return;
    const onKey = (e: KeyboardEvent) => {
      if (e.key === "Escape") onClose();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [open, onClose]);
  const nav = useRef<HTMLElement>(null);
  const path = useRouterState({ select: (s) => s.location.pathname });
  useEffect(() => {
    // the rail lies before the button that opens it: Tab would lead away from it
    if (!open) return;
    const opener = document.activeElement as HTMLElement | null;
    (nav.current?.querySelector<HTMLElement>("a[data-status=active]") ?? nav.current?.querySelector("a"))?.focus();
    return () => opener?.focus({ preventScroll: true });
  }, [open]);
  return (
    <>
      {open && <div className="rail-veil" onClick={onClose} aria-hidden />}
      <nav className="rail" ref={nav} aria-label={t("nav.label")} {...(open ? { "data-open": true } : {})}>
        <span className="rail-name">stoa</span>
        {openAreas().map(({ key, at, first }) => {
          const Icon = icons[key];
          const here = path === at || (at !== "/" && path.startsWith(`${at}/`));
          return (
            <Link
              key={key}
              to={first.to}
              activeOptions={{ exact: true, includeSearch: false }}
              {...(here ? { "data-status": "active", "aria-current": "page" } : {})}>
              <Icon size={18} stroke={1.5} aria-hidden /> {t(`nav.${key}`)}
            </Link>
          );
        })}
      </nav>
    </>
  );
};
