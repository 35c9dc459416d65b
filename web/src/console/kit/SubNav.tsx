import { Link } from "@tanstack/react-router";

// SubNav leads to the lists of an area, under its title.
export const SubNav = ({ label, entries }: { label: string; entries: { to: string; title: string }[] }) => (
  <nav className="tabs" aria-label={label}>
    {entries.map(({ to, title }) => <Link key={to} to={to} activeOptions={{ exact: true, includeSearch: false }}>{title}</Link>)}
  </nav>
);
