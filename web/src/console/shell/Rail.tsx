import {
  IconCalendarEvent,
  IconHome,
  IconPalette,
  IconPlug,
  IconSettings,
  IconShoppingBag,
  IconUsers,
} from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { t } from "../text";

const entries = [
  { to: "/", key: "overview", Icon: IconHome },
  { to: "/shop", key: "shop", Icon: IconShoppingBag },
  { to: "/plugins", key: "plugins", Icon: IconPlug },
  { to: "/themes", key: "themes", Icon: IconPalette },
  { to: "/people", key: "people", Icon: IconUsers },
  { to: "/events", key: "events", Icon: IconCalendarEvent },
  { to: "/settings", key: "settings", Icon: IconSettings },
] as const;

// Rail is the console's navigation: seven entries. On narrow screens it slides over the
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
        {entries.map(({ to, key, Icon }) => (
          <Link key={key} to={to} activeOptions={{ exact: to === "/", includeSearch: false }}>
            <Icon size={18} stroke={1.5} aria-hidden /> {t(`nav.${key}`)}
          </Link>
        ))}
      </nav>
    </>
  );
};
