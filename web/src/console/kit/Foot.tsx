// What stands below a list: which part of it is shown, and the way to the others.
import { ActionIcon } from "@mantine/core";
import { IconChevronLeft, IconChevronRight, IconChevronsLeft, IconChevronsRight } from "./icons";
import { formatNumber } from "../../text/format";
import { t } from "../text";

export interface Pagination {
  page: number;
  limit: number;
  total: number;
  totalPages: number;
}

// A button at the end of the way looks disabled and says so. It is not: whoever came there
// with the keyboard would lose the focus.
const end = { "aria-disabled": true, "data-disabled": true } as const;

interface FootProps {
  pagination: Pagination;
  onPage: (page: number) => void;
}

export const Foot = ({ pagination: { page, limit, total, totalPages }, onPage }: FootProps) => {
  if (total === 0) return null; // the list says so itself
  const from = formatNumber((page - 1) * limit + 1);
  const to = formatNumber(Math.min(page * limit, total));
  const ways = [
    { label: t("list.first"), to: 1, Icon: IconChevronsLeft },
    { label: t("list.previous"), to: page - 1, Icon: IconChevronLeft },
    { label: t("list.next"), to: page + 1, Icon: IconChevronRight },
    { label: t("list.last"), to: totalPages, Icon: IconChevronsRight },
  ];
  const leads = (to: number) => to >= 1 && to <= totalPages && to !== page;
  return (
    <div className="list-foot">
      <span role="status">
        {page > totalPages
          ? t("list.beyond", { page: formatNumber(page), last: formatNumber(totalPages) })
          : t("list.of", { from, to, total: formatNumber(total) })}
      </span>
      {(totalPages > 1 || page > totalPages) && (
        <span className="row" style={{ marginLeft: "auto" }}>
          {ways.map((way) => (
            <ActionIcon
              key={way.label}
              aria-label={way.label}
              {...(leads(way.to) ? { onClick: () => onPage(way.to) } : end)}>
              <way.Icon size={18} stroke={1.5} />
            </ActionIcon>
          ))}
        </span>
      )}
    </div>
  );
};
