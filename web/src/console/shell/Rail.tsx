import { IconCalendarEvent, IconHome, IconPalette, IconPlug, IconSettings, IconShoppingBag, IconUsers } from "@tabler/icons-react";
import { Link, useRouterState } from "@tanstack/react-router";
import { Fragment, useEffect } from "react";
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

// The lists of an area. They stand below its entry while the area is open.
const lists = {
  shop: [
    { to: "/shop/products", key: "shop.nav.products" },
    { to: "/shop/orders", key: "shop.nav.orders" },
    { to: "/shop/licenses", key: "shop.nav.licenses" },
    { to: "/shop/reviews", key: "shop.nav.reviews" },
    { to: "/shop/media", key: "shop.nav.media" },
  ],
} as const;

const Lists = ({ of }: { of: keyof typeof lists }) => {
  const path = useRouterState({ select: (s) => s.location.pathname });
  const inside = path === `/${of}` || path.startsWith(`/${of}/`);
  return inside && <div className="rail-sub">{lists[of].map(({ to, key }) => <Link key={to} to={to as "/"} activeOptions={{ includeSearch: false }}>{t(key)}</Link>)}</div>;
};

// Rail is the console's navigation: seven entries. On narrow screens it slides over the
// page while open.
export const Rail = ({ open, onClose }: { open: boolean; onClose: () => void }) => {
  useEffect(() => {
    if (!open) return;
    const onKey = (e: KeyboardEvent) => { if (e.key === "Escape") onClose(); };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [open, onClose]);
  return (
    <>
      {open && <div className="rail-veil" onClick={onClose} aria-hidden />}
      <nav className="rail" aria-label={t("nav.label")} {...(open ? { "data-open": true } : {})}>
        <span className="rail-name">stoa</span>
        {entries.map(({ to, key, Icon }) => (
          <Fragment key={key}>
            <Link to={to} activeOptions={{ exact: to === "/", includeSearch: false }}>
              <Icon size={18} stroke={1.5} aria-hidden /> {t(`nav.${key}`)}
            </Link>
            {key in lists && <Lists of={key as keyof typeof lists} />}
          </Fragment>
        ))}
      </nav>
    </>
  );
};
