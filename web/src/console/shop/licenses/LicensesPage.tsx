import { Button } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { api, data, type Sorts } from "../../../api/client";
import { DataTable, type Column } from "../../kit/DataTable";
import { Empty } from "../../kit/Empty";
import { Filter, ListBar } from "../../kit/ListBar";
import { Page } from "../../kit/Page";
import { SaveTable } from "../../kit/SaveTable";
import { useListSearch } from "../../kit/useListSearch";
import { Time } from "../../kit/values";
import { May } from "../../kit/may";
import { t } from "../../text";
import { ShopNav } from "../ShopNav";
import { OfOne, ProductFilter } from "../filters";
import type { License } from "../types";
import { Customer, DemoMark, LicenseState, Seats, Term } from "../values";
import { byKey, isKey, searchable } from "./find";

const columns: Column<License>[] = [
  {
    title: t("shop.license"),
    cell: (l) => (
      <Link className="row-link mono" to="/shop/licenses/$id" params={{ id: l.id }}>
        {l.id}
      </Link>
    ),
  },
  {
    title: t("shop.product"),
    sort: ["product", "-product"],
    cell: (l) => (
      <>
        {l.productName} <span className="soft">· {l.tierName}</span> <DemoMark of={l} />
      </>
    ),
  },
  { title: t("shop.customer"), cell: (l) => <Customer userId={l.userId} email={l.userEmail} billed={l.billedEmail} /> },
  { title: t("shop.state"), cell: (l) => <LicenseState license={l} /> },
  { title: t("shop.licenses.seatsUsed"), cell: (l) => <Seats license={l} />, end: true, named: true },
  { title: t("shop.licenses.term"), sort: ["expires", "-expires"], cell: (l) => <Term license={l} />, named: true },
  {
    title: t("shop.licenses.issued"),
    sort: ["created", "-created"],
    cell: (l) => <Time at={l.createdAt} />,
    end: true,
    named: true,
    spare: true,
  },
];

const states = (["active", "expired", "revoked"] as const).map((value) => ({
  value,
  label: t(`shop.licenses.state.${value}`),
}));

export const LicensesPage = () => {
  const { search, page } = useListSearch();
  const { status, product, user, sort } = search as Record<string, string | undefined>;
  const q = useKeyLookUp(search.q);
  const query = useQuery({
    queryKey: ["licenses", "list", { page, q, status, product, user, sort }],
    queryFn: () =>
      data(
        api.GET("/api/v1/admin/licenses", {
          params: { query: { page, ...filters({ q, status, product, user, sort }) } },
        }),
      ),
    placeholderData: keepPreviousData,
  });
  const grant = (
    <May needs="licenses:grant">
      <Button component={Link} to="/shop/licenses/grant">
        {t("shop.licenses.grant.open")}
      </Button>
    </May>
  );
  return (
    <Page title={t("shop.nav.licenses")} actions={grant}>
      <ShopNav />
      <ListBar label={t("shop.licenses.search")}>
        <Filter name="status" label={t("shop.state")} choices={states} />
        <ProductFilter />
        <OfOne name="user" label={t("shop.filter.oneCustomer")} />
        <SaveTable of="licenses" filters={{ q, status, product, user }} />
      </ListBar>
      <DataTable
        label={t("shop.nav.licenses")}
        query={query}
        columns={columns}
        keyOf={(l) => l.id}
        link={(l) => `/shop/licenses/${l.id}`}
        order="-created"
        stack
        empty={
          <Empty title={t("shop.licenses.none")} action={grant}>
            {t("shop.licenses.noneHow")}
          </Empty>
        }
      />
    </Page>
  );
};

// useKeyLookUp opens the license of a whole key that was typed into the search, and takes
// the key out of the address. For all else it returns what to search for.
const useKeyLookUp = (typed: string | undefined): string | undefined => {
  const navigate = useNavigate();
  const { set } = useListSearch();
  const key = typed !== undefined && isKey(typed) ? typed : undefined;
  useEffect(() => {
    if (key === undefined) return;
    void byKey(key).then(
      (found) => {
        if (found) void navigate({ to: `/shop/licenses/${found.id}`, replace: true });
        else set({ q: searchable(key) });
      },
      () => set({ q: searchable(key) }),
    );
    // The key alone decides: set and navigate are new with each rendering.
  }, [key]);
  return typed === undefined ? undefined : searchable(typed);
};

interface Filters {
  q?: string;
  status?: License["status"];
  product?: string;
  user?: string;
  sort?: Sorts<"/api/v1/admin/licenses">;
}

const filters = (all: Record<string, string | undefined>): Filters =>
  Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Filters;
