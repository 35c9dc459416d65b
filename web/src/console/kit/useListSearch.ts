// The state of a list is in its address: page, sort, search and filters. So a list can be
// linked to, and the back button works.
import { useNavigate, useSearch } from "@tanstack/react-router";

export type ListSearch = { page?: number; q?: string; sort?: string } & Record<string, string | number | undefined>;

// validateList keeps what a list's address may say. filters are the names of its filters.
export const validateList =
  (...filters: string[]) =>
  (raw: Record<string, unknown>): ListSearch => {
    const kept: ListSearch = {};
    const page = Number(raw["page"]);
    if (Number.isInteger(page) && page > 1) kept.page = page;
    for (const name of ["q", "sort", ...filters]) {
      const value = raw[name];
      if ((typeof value === "string" && value !== "") || typeof value === "number") kept[name] = String(value);
    }
    return kept;
  };

export const useListSearch = () => {
  const search = useSearch({ strict: false }) as ListSearch;
  const navigate = useNavigate();
  // set changes some of the list's state; any change but of the page begins at page 1.
  const set = (change: Partial<ListSearch>) =>
    void navigate({
      to: ".",
      search: ((now: ListSearch) => clean({ ...now, page: undefined, ...change })) as never,
      replace: "q" in change,
    });
  return { search, set, page: search.page ?? 1 };
};

const clean = (all: ListSearch): ListSearch =>
  Object.fromEntries(
    Object.entries(all).filter(
      ([name, value]) => value !== undefined && value !== "" && !(name === "page" && value === 1),
    ),
  );
