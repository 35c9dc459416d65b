// Lists: tables whose search, filters, order and pages are the server's. A row opens the
// page of what it shows.
import { Button } from "@mantine/core";
import { IconArrowDown, IconArrowUp } from "./icons";
import type { UseQueryResult } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { MouseEvent, ReactNode } from "react";
import { t } from "../text";
import { ErrorNote } from "./ErrorNote";
import { Foot, type Pagination } from "./Foot";
import { mayOpen } from "./pages";
import { Bar } from "./Pending";
import { useListSearch } from "./useListSearch";

export interface Listing<T> {
  items: T[];
  pagination: Pagination;
}

export interface Column<T> {
  title: string;
  cell: (item: T) => ReactNode;
  // The values of sort for ascending and descending order, if the server has them.
  sort?: [ascending: string, descending: string];
  end?: boolean; // numbers stand at the end of their column
  named?: boolean; // in a stacked row, its title stands before it
  spare?: boolean; // left out where a window is too narrow for all columns side by side
}

interface DataTableProps<T> {
  label: string;
  query: UseQueryResult<Listing<T>>;
  columns: Column<T>[];
  keyOf: (item: T) => string;
  // The value of sort for the order that the list has by itself.
  order?: string;
  // The address that a row opens.
  link?: (item: T) => string;
  // On a phone, a row's cells stand below each other instead of scrolling sideways.
  stack?: boolean;
  // What stands in place of an empty list without filters.
  empty: ReactNode;
}

export const DataTable = <T,>({
  label,
  query,
  columns,
  keyOf,
  order,
  link,
  stack = false,
  empty,
}: DataTableProps<T>) => {
  const { search, set } = useListSearch();
  const filtered = Object.keys(search).some((name) => name !== "page" && name !== "sort");
  if (query.isError && !query.data) return <ErrorNote error={query.error} retry={() => void query.refetch()} />;
  const list = query.data;
  if (list && list.pagination.total === 0 && !filtered) return empty;
  const onSort = (sort: string) => set({ sort: sort === order ? undefined : sort });
  return (
    <>
      <div className="table-box" aria-busy={query.isFetching}>
        <table className="table" data-stack={stack || undefined} aria-label={label}>
          <thead>
            <tr>
              {columns.map((column) => (
                <Head key={column.title} column={column} sort={search.sort ?? order} onSort={onSort} />
              ))}
            </tr>
          </thead>
          <tbody>
            {list
              ? list.items.map((item) => (
                  <Row key={keyOf(item)} item={item} columns={columns} link={openable(link?.(item))} />
                ))
              : Array.from({ length: 8 }, (_, i) => <Outline key={i} columns={columns} />)}
          </tbody>
        </table>
        {list && list.items.length === 0 && <NoMatch />}
      </div>
      {list && <Foot pagination={list.pagination} onPage={(page) => set({ page })} />}
    </>
  );
};

const openable = (address: string | undefined) => (address && mayOpen(address) ? address : undefined);

// NoMatch stands below a list whose filters, or whose page, leave nothing.
const NoMatch = () => {
  const { search, set } = useListSearch();
  const clear = () => set(Object.fromEntries(Object.keys(search).map((name) => [name, undefined])));
  return (
    <div className="empty">
      <p role="status">{t("list.none")}</p>
      <Button size="xs" onClick={clear}>
        {t("list.clear")}
      </Button>
    </div>
  );
};

// Outline is a row that is being loaded.
const Outline = <T,>({ columns }: { columns: Column<T>[] }) => (
  <tr>
    {columns.map((column) => (
      <td key={column.title}>
        <Bar width="70%" height={14} />
      </td>
    ))}
  </tr>
);

const classOf = ({ end = false, spare = false }: { end?: boolean; spare?: boolean }): string | undefined =>
  [end && "end", spare && "spare"].filter(Boolean).join(" ") || undefined;

interface HeadProps<T> {
  column: Column<T>;
  sort: string | undefined;
  onSort: (sort: string) => void;
}

const Head = <T,>({ column, sort, onSort }: HeadProps<T>) => {
  const place = classOf(column);
  if (!column.sort)
    return (
      <th scope="col" className={place}>
        {column.title}
      </th>
    );
  const [ascending, descending] = column.sort;
  const now = sort === descending ? "descending" : sort === ascending ? "ascending" : "none";
  return (
    <th scope="col" className={place} aria-sort={now}>
      <button type="button" onClick={() => onSort(now === "ascending" ? descending : ascending)}>
        {column.title}
        {now === "ascending" && <IconArrowUp size={12} stroke={1.5} aria-hidden />}
        {now === "descending" && <IconArrowDown size={12} stroke={1.5} aria-hidden />}
      </button>
    </th>
  );
};

const Row = <T,>({ item, columns, link }: { item: T; columns: Column<T>[]; link: string | undefined }) => {
  const navigate = useNavigate();
  // The first cell's link is what keyboards and screen readers use; the whole row is for
  // pointers.
  const open = (e: MouseEvent) => {
    if (!link || (e.target as Element).closest("a,button,input,label")) return;
    void navigate({ to: link });
  };
  return (
    <tr {...(link ? { "data-link": true, onClick: open } : {})}>
      {columns.map(({ title, end = false, named, spare = false, cell }) => (
        <td
          key={title}
          className={[end ? "end" : "clip", spare && "spare"].filter(Boolean).join(" ")}
          data-name={named ? title : undefined}>
          {cell(item)}
        </td>
      ))}
    </tr>
  );
};
