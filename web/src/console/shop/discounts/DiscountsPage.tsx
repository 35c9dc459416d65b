import { Button } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { api, data } from "../../../api/client";
import { DataTable, type Column } from "../../kit/DataTable";
import { Empty } from "../../kit/Empty";
import { ListBar } from "../../kit/ListBar";
import { May } from "../../kit/may";
import { Page } from "../../kit/Page";
import { useListSearch } from "../../kit/useListSearch";
import { Time } from "../../kit/values";
import { t } from "../../text";
import { ShopNav } from "../ShopNav";
import type { Discount } from "../types";
import { DiscountState, key, usesOf, validity, worth } from "./values";

const columns: Column<Discount>[] = [
  {
    title: t("shop.discounts.code"),
    cell: (d) => (
      <Link className="row-link mono" to="/shop/discounts/$id" params={{ id: d.id }}>
        {d.code}
      </Link>
    ),
  },
  { title: t("shop.discounts.off"), cell: worth, named: true },
  { title: t("shop.state"), cell: (d) => <DiscountState discount={d} /> },
  { title: t("shop.discounts.validity"), cell: validity, named: true, spare: true },
  { title: t("shop.discounts.uses"), cell: usesOf, end: true, named: true },
  { title: t("shop.discounts.made"), cell: (d) => <Time at={d.createdAt} />, end: true, named: true, spare: true },
];

export const DiscountsPage = () => {
  const { search, page } = useListSearch();
  const { q } = search as Record<string, string | undefined>;
  const query = useQuery({
    queryKey: [...key, "list", { page, q }],
    queryFn: () => data(api.GET("/api/v1/admin/discounts", { params: { query: { page, ...(q ? { q } : {}) } } })),
    placeholderData: keepPreviousData,
  });
  const add = (
    <May needs="discounts:write">
      <Button component={Link} to="/shop/discounts/new">
        {t("shop.discounts.new")}
      </Button>
    </May>
  );
  return (
    <Page title={t("shop.nav.discounts")} actions={add}>
      <ShopNav />
      <ListBar label={t("shop.discounts.search")} />
      <DataTable
        label={t("shop.nav.discounts")}
        query={query}
        columns={columns}
        keyOf={(d) => d.id}
        link={(d) => `/shop/discounts/${d.id}`}
        stack
        empty={
          <Empty title={t("shop.discounts.none")} action={add}>
            {t("shop.discounts.noneHow")}
          </Empty>
        }
      />
    </Page>
  );
};
