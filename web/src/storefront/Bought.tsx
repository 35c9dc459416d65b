import type { UseQueryResult } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { t } from "./boughtText";
import { Empty, Failure, Head, Pager, Waiting } from "./ui";

interface BoughtProps<T> {
  title: string;
  empty: string;
  how: string;
  usePage: (page: number) => UseQueryResult<T>;
  rows: (data: T) => ReactNode[];
}

// Bought is a page that lists what somebody has bought, a page of the list at a time.
export const Bought = <T extends { pagination: { totalPages: number } }>(props: BoughtProps<T>) => {
  const [page, setPage] = useState(1);
  const bought = props.usePage(page);
  return (
    <>
      <Head title={props.title} />
      {bought.isPending ? (
        <Waiting />
      ) : bought.isError ? (
        <Failure error={bought.error} retry={() => void bought.refetch()} />
      ) : (
        <>
          <Rows {...props} all={props.rows(bought.data)} />
          <Pager page={page} pages={bought.data.pagination.totalPages} onPage={setPage} />
        </>
      )}
    </>
  );
};

const Rows = ({ all, empty, how }: { all: ReactNode[]; empty: string; how: string }) =>
  all.length > 0 ? (
    <ul className="list">{all}</ul>
  ) : (
    <Empty title={empty} how={how}>
      <a className="button primary" href="/">
        {t("orders.browse")}
      </a>
      <a className="button" href="/claim-orders">
        {t("orders.claim")}
      </a>
    </Empty>
  );
