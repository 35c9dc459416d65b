import { Link } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { mayOpen } from "./pages";

// SubNav leads to the lists of an area that the user may open, under its title. Where it is wider than the window,
// the entry of the page that is shown is in sight.
export const SubNav = ({ label, entries }: { label: string; entries: { to: string; title: string }[] }) => {
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    // it returns nothing: newer browsers make scrollIntoView return a promise
    nav.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, []);
  return (
    <nav className="tabs" aria-label={label} ref={nav}>
      {entries
        .filter(({ to }) => mayOpen(to))
        .map(({ to, title }) => (
          <Link key={to} to={to} activeOptions={{ exact: true, includeSearch: false }}>
            {title}
          </Link>
        ))}
    </nav>
  );
};
