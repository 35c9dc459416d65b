import { Button, Select } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { api, data, ok } from "../../../api/client";
import { formatMoney, formatNumber } from "../../../text/format";
import { DataTable, type Column } from "../../kit/DataTable";
import { Empty } from "../../kit/Empty";
import { Filter, ListBar } from "../../kit/ListBar";
import { Page } from "../../kit/Page";
import { useListSearch } from "../../kit/useListSearch";
import { Time } from "../../kit/values";
import { May } from "../../kit/may";
import { t } from "../../text";
import { ShopNav } from "../ShopNav";
import type { ProductItem } from "../types";
import { PublishedState } from "../values";

const columns: Column<ProductItem>[] = [
  { title: t("shop.products.name"), cell: (p) => <ProductName product={p} /> },
  { title: t("shop.state"), cell: (p) => <PublishedState published={p.published} /> },
  { title: t("shop.products.category"), cell: (p) => <span className="cap">{p.category}</span> },
  { title: t("shop.products.price"), end: true, cell: (p) => <Price product={p} /> },
  {
    title: t("shop.products.sold"),
    end: true,
    named: true,
    spare: true,
    cell: (p) => formatNumber(p.shown.downloadCount),
  },
  {
    title: t("shop.products.rating"),
    end: true,
    named: true,
    cell: (p) =>
      p.shown.reviewCount
        ? t("shop.products.ratingOf", { rating: formatNumber(p.shown.rating), n: formatNumber(p.shown.reviewCount) })
        : "–",
  },
  { title: t("shop.products.updated"), end: true, named: true, cell: (p) => <Time at={p.updatedAt} /> },
];

const ProductName = ({ product: p }: { product: ProductItem }) => (
  <span className="row product-name">
    {p.icon ? (
      <img src={p.icon} alt="" width={24} height={24} loading="lazy" />
    ) : (
      <span className="no-icon" aria-hidden />
    )}
    <Link className="row-link clip" to="/shop/products/$slug" params={{ slug: p.slug }}>
      {p.name}
    </Link>
  </span>
);

// A draft that says no price yet is not free.
const Price = ({ product: { pricing, published } }: { product: ProductItem }) =>
  pricing.type === "free" || pricing.price === undefined ? (
    <>{published ? t("shop.products.free") : "–"}</>
  ) : (
    <>{t("shop.products.from", { price: formatMoney(pricing.price, pricing.currency ?? "EUR") })}</>
  );

// useCategories are the categories of published products: the catalog knows them.
export const useCategories = (): string[] =>
  useQuery({
    queryKey: ["products", "categories"],
    queryFn: () => ok(api.GET("/api/marketplace/products", { params: { query: { limit: 1 } } })),
    staleTime: 60_000,
  }).data?.filters.categories ?? [];

const sorts = ["featured", "newest", "rating", "downloads", "price", "name"] as const;
type Sort = (typeof sorts)[number];

export const ProductsPage = () => {
  const { search, set, page } = useListSearch();
  const { q, state, category, sort } = search as Record<string, string | undefined>;
  const query = useQuery({
    queryKey: ["products", "list", { page, q, state, category, sort }],
    queryFn: () =>
      data(
        api.GET("/api/v1/admin/products", {
          params: {
            query: {
              page,
              ...(q ? { q } : {}),
              ...(category ? { category } : {}),
              ...(sort ? { sort: sort as Sort } : {}),
              ...(state ? { published: state === "published" } : {}),
            },
          },
        }),
      ),
    placeholderData: keepPreviousData,
  });
  const create = (
    <May needs="products:write">
      <Button variant="filled" component={Link} to="/shop/new-product">
        {t("shop.products.new")}
      </Button>
    </May>
  );
  return (
    <Page title={t("shop.nav.products")} actions={create}>
      <ShopNav />
      <ListBar label={t("shop.products.search")}>
        <Filter
          name="state"
          label={t("shop.state")}
          choices={(["published", "draft"] as const).map((value) => ({
            value,
            label: t(`shop.products.state.${value}`),
          }))}
        />
        <Filter
          name="category"
          label={t("shop.products.category")}
          choices={useCategories().map((value) => ({ value, label: value }))}
        />
        <Select
          aria-label={t("shop.products.sort")}
          w={180}
          value={sort ?? "featured"}
          data={sorts.map((value) => ({ value, label: t(`shop.products.sorts.${value}`) }))}
          onChange={(value) => set({ sort: value === "featured" || value === null ? undefined : value })}
        />
      </ListBar>
      <DataTable
        label={t("shop.nav.products")}
        query={query}
        columns={columns}
        keyOf={(p) => p.id}
        link={(p) => `/shop/products/${p.slug}`}
        stack
        empty={
          <Empty title={t("shop.products.none")} action={create}>
            {t("shop.products.noneHow")}
          </Empty>
        }
      />
    </Page>
  );
};
