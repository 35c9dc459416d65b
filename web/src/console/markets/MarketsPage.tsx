// The markets that packages may come from, each with how it is and what that means.
import "./markets.css";
import { Button } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { DataTable, type Column } from "../kit/DataTable";
import { May } from "../kit/may";
import { Page } from "../kit/Page";
import { useListSearch } from "../kit/useListSearch";
import { None, Time } from "../kit/values";
import { Tabs } from "../plugins/Tabs";
import { t } from "../text";
import { addressOf, home } from "./addresses";
import { marketsQuery, type Market } from "./data";
import { MarketState, meaning, nameOf } from "./state";
import { m } from "./text";

const columns: Column<Market>[] = [
  {
    title: m("markets.column.name"),
    cell: (market) => (
      <Link className="row-link" to={addressOf(market.market) as string}>
        {nameOf(market)}
      </Link>
    ),
  },
  {
    title: m("markets.column.url"),
    cell: ({ url }) => url,
  },
  {
    title: m("markets.column.state"),
    cell: (market) => (
      <div className="market-state">
        <MarketState market={market} />
        <span className="soft">{meaning(market)}</span>
      </div>
    ),
  },
  {
    title: m("markets.column.checked"),
    named: true,
    cell: ({ checkedAt }) => (checkedAt ? <Time at={checkedAt} /> : <None />),
  },
];

export const MarketsPage = () => {
  const { page } = useListSearch();
  const query = useQuery({ ...marketsQuery(page, 20), placeholderData: keepPreviousData });
  return (
    <Page
      title={t("plugins.title")}
      actions={
        <May needs="markets:write">
          <Button variant="filled" component={Link} {...({ to: `${home}/add` } as object)}>
            {m("markets.add")}
          </Button>
        </May>
      }>
      <Tabs />
      <p className="soft prose" style={{ margin: 0 }}>
        {m("markets.about")}
      </p>
      <DataTable
        label={m("markets.title")}
        query={query}
        columns={columns}
        keyOf={({ market }) => market}
        stack
        link={({ market }) => addressOf(market)}
        empty={null}
      />
    </Page>
  );
};
