// The parts of a detail page that differ in kind. Which one shows is in the address.
import { Link, useSearch } from "@tanstack/react-router";

interface ViewsProps {
  label: string;
  views: { id: string; title: string }[];
}

// useView returns the part that the address names, or the first.
export const useView = (ids: readonly string[]): string => {
  const { view } = useSearch({ strict: false }) as { view?: string };
  return view !== undefined && ids.includes(view) ? view : (ids[0] ?? "");
};

export const Views = ({ label, views }: ViewsProps) => {
  const now = useView(views.map((v) => v.id));
  return (
    <nav className="tabs" aria-label={label}>
      {views.map(({ id, title }, i) => (
        <Link
          key={id}
          to="."
          search={(i === 0 ? {} : { view: id }) as never}
          resetScroll={false}
          activeOptions={{ exact: true, includeSearch: true }}
          data-now={id === now}
          aria-current={id === now ? "page" : undefined}>
          {title}
        </Link>
      ))}
    </nav>
  );
};
