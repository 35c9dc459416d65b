import { useEffect, type ReactNode } from "react";
import { t } from "../text";
import { PageLink } from "./pages";

interface PageProps {
  title: string;
  // What stands beside the title: the state of what the page shows.
  badge?: ReactNode;
  // The pages above this one, from the top.
  above?: { title: string; to: string }[];
  // At most one primary action, and a menu of the others.
  actions?: ReactNode;
  children: ReactNode;
}

// Page is a page's head and its content. It names the document after the title.
export const Page = ({ title, badge, above = [], actions, children }: PageProps) => {
  useEffect(() => {
    document.title = `${title} · ${t("title")}`;
  }, [title]);
  return (
    <div className="page">
      <header className="page-head">
        <div className="page-title">
          {above.length > 0 && (
            <nav className="page-crumbs" aria-label={above.map((a) => a.title).join(", ")}>
              {above.map((a, i) => (
                <span key={a.to}>
                  {i > 0 && " / "}
                  <PageLink to={a.to}>{a.title}</PageLink>
                </span>
              ))}
            </nav>
          )}
          <h1>
            {title} {badge}
          </h1>
        </div>
        {actions && <div className="page-actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
};

// Section is a titled part of a page, with what can be done in it at the end of its head.
export const Section = ({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) => (
  <section className="section" aria-label={title}>
    <div className="section-head">
      <h2>{title}</h2>
      {actions && <div className="row">{actions}</div>}
    </div>
    {children}
  </section>
);

// Summary is the strip of facts at the top of a detail page.
export const Summary = ({ facts }: { facts: [string, ReactNode][] }) => (
  <dl className="summary">
    {facts.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);
