// Which permission opens which page. The menus, the search box, links and the pages themselves
// ask here, so that nobody is led to what they may not see.
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { may, type Permission } from "./may";

// The first one that an address begins with holds.
const needs: [string, Permission][] = [
  ["/welcome", "settings:write"],
  ["/shop/new-product", "products:write"],
  ["/shop/orders", "orders:read"],
  ["/shop/licenses/grant", "licenses:grant"],
  ["/shop/licenses", "licenses:read"],
  ["/shop/discounts/new", "discounts:write"],
  ["/shop/discounts", "discounts:read"],
  ["/shop/figures", "reports:read"],
  ["/shop/reviews", "reviews:read"],
  ["/shop/mails", "templates:read"],
  ["/shop", "products:read"],
  ["/plugins/deliveries", "deliveries:read"],
  ["/plugins/markets/add", "markets:write"],
  ["/plugins/markets", "markets:read"],
  ["/plugins", "extensions:read"],
  ["/themes/", "extensions:read"],
  ["/themes", "themes:read"],
  ["/people/staff", "staff:read"],
  ["/people/invitations", "staff:read"],
  ["/people/roles/new", "staff:write"],
  ["/people/roles", "staff:read"],
  ["/people/seen", "users:impersonate"],
  ["/people", "users:read"],
  ["/events/webhooks/new", "webhooks:write"],
  ["/events/webhooks", "webhooks:read"],
  ["/events", "audit:customers"],
  ["/settings/sign-in", "sign-in:write"],
  ["/settings/payments", "system:read"],
  ["/settings/keys", "system:read"],
  ["/settings/api-keys", "api-keys:admin"],
  ["/settings/health", "system:read"],
  ["/settings", "settings:read"],
];

// neededFor is the permission that opens the page at an address; null for one that all staff may see.
export const neededFor = (address: string): Permission | null => {
  const path = address.replace(/[?#].*/, "");
  if (path === "/" || path === "") return "overview:read";
  const found = needs.find(([start]) => path === start || path.startsWith(start.endsWith("/") ? start : `${start}/`));
  return found?.[1] ?? null;
};

export const mayOpen = (address: string): boolean => {
  const needed = neededFor(address);
  return needed === null || may(needed);
};

// PageLink leads to a page; where it may not be opened, only the words stand there.
export const PageLink = ({ to, className, children }: { to: string; className?: string; children: ReactNode }) =>
  mayOpen(to) ? (
    <Link to={to} {...(className ? { className } : {})}>
      {children}
    </Link>
  ) : (
    <span className={className?.replace("row-link", "").trim() || undefined}>{children}</span>
  );
