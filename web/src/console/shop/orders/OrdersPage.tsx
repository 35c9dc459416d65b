import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { api, data, type Sorts } from "../../../api/client";
import { formatMoney } from "../../../text/format";
import { DataTable, type Column } from "../../kit/DataTable";
import { Empty } from "../../kit/Empty";
import { Filter, ListBar } from "../../kit/ListBar";
import { Page } from "../../kit/Page";
import { SaveTable } from "../../kit/SaveTable";
import { useListSearch } from "../../kit/useListSearch";
import { Time } from "../../kit/values";
import { t } from "../../text";
import { ShopNav } from "../ShopNav";
import { OfOne, ProductFilter, spanChoices, spanStart } from "../filters";
import type { Order } from "../types";
import { Customer, DemoMark, OrderState } from "../values";

const columns: Column<Order>[] = [
  {
    title: t("shop.orders.number"),
    cell: (o) => (
      <Link className="row-link mono" to="/shop/orders/$id" params={{ id: o.id }}>
        {o.id}
      </Link>
    ),
  },
  {
    title: t("shop.product"),
    sort: ["product", "-product"],
    cell: (o) => (
      <>
        {o.productName} <span className="soft">· {o.tierName}</span> <DemoMark of={o} />
      </>
    ),
  },
  {
    title: t("shop.customer"),
    cell: (o) => <Customer userId={o.userId} email={o.userEmail} billed={o.billingInfo?.email} />,
  },
  {
    title: t("shop.orders.amount"),
    sort: ["amount", "-amount"],
    cell: (o) => formatMoney(o.amount, o.currency),
    end: true,
  },
  { title: t("shop.state"), sort: ["status", "-status"], cell: (o) => <OrderState order={o} /> },
  {
    title: t("shop.orders.placed"),
    sort: ["created", "-created"],
    cell: (o) => <Time at={o.createdAt} />,
    end: true,
    named: true,
  },
];

const states = (["pending", "paid", "refunded", "cancelled"] as const).map((value) => ({
  value,
  label: t(`shop.orders.state.${value}`),
}));

export const OrdersPage = () => {
  const { search, page } = useListSearch();
  const { q, status, product, user, since, sort } = search;
  const from = spanStart(since);
  const query = useQuery({
    queryKey: ["orders", { page, q, status, product, user, from, sort }],
    queryFn: () =>
      data(
        api.GET("/api/v1/admin/orders", {
          params: { query: { page, ...clean({ q, status, product, user, from, sort }) } },
        }),
      ),
    placeholderData: keepPreviousData,
  });
  return (
    <Page title={t("shop.nav.orders")}>
      <ShopNav />
      <ListBar label={t("shop.orders.search")}>
        <Filter name="status" label={t("shop.state")} choices={states} />
        <ProductFilter />
        <Filter name="since" label={t("shop.filter.time")} choices={spanChoices()} />
        <OfOne name="user" label={t("shop.filter.oneCustomer")} />
        <SaveTable of="orders" filters={{ q, status, product, user, from }} />
      </ListBar>
      <DataTable
        label={t("shop.nav.orders")}
        query={query}
        columns={columns}
        keyOf={(o) => o.id}
        link={(o) => `/shop/orders/${o.id}`}
        order="-created"
        stack
        empty={<Empty title={t("shop.orders.none")}>{t("shop.orders.noneHow")}</Empty>}
      />
    </Page>
  );
};

interface Filters {
  q?: string;
  status?: Order["status"];
  product?: string;
  user?: string;
  from?: string;
  sort?: Sorts<"/api/v1/admin/orders">;
}

// clean leaves out what is not asked for.
const clean = (all: Record<string, string | number | undefined>): Filters =>
  Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Filters;
