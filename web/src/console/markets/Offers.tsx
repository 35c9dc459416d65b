// The products of a market: what each costs, may and needs.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { DataTable, type Column } from "../kit/DataTable";
import { Empty } from "../kit/Empty";
import { ListBar } from "../kit/ListBar";
import { Section } from "../kit/Page";
import { useListSearch } from "../kit/useListSearch";
import { None, State } from "../kit/values";
import { offerAddress } from "./addresses";
import { cheapest, daysToTry, offersQuery, standing } from "./offers";
import type { Offer } from "./data";
import { m } from "./text";

const columns = (market: string): Column<Offer>[] => [
  {
    title: m("markets.offers.column.name"),
    cell: ({ productSlug, name, description }) => (
      <>
        <Link className="row-link" to={offerAddress(market, productSlug) as string}>
          {name}
        </Link>
        <div className="soft small offer-about">{description}</div>
      </>
    ),
  },
  {
    title: m("markets.offers.column.version"),
    cell: (offer) => (
      <>
        {offer.package?.version} <Standing of={offer} />
      </>
    ),
  },
  {
    title: m("markets.offers.column.price"),
    cell: (offer) => (
      <>
        {cheapest(offer)}
        {daysToTry(offer) > 0 && <div className="soft small">{m.count("markets.offers.trial", daysToTry(offer))}</div>}
      </>
    ),
  },
  {
    title: m("markets.offers.column.permissions"),
    named: true,
    cell: ({ package: pack }) =>
      pack && pack.permissions.length > 0 ? (
        <span title={pack.permissions.join(", ")}>{pack.permissions.length}</span>
      ) : (
        <None />
      ),
  },
  {
    title: m("markets.offers.column.signed"),
    named: true,
    cell: ({ package: pack }) => pack?.signer.name ?? <None />,
  },
];

// Standing says in a word what a package is here, where that is not plain.
export const Standing = ({ of: offer }: { of: Offer }) => {
  const version = offer.package?.minPlatform ?? "";
  switch (standing(offer)) {
    case "nothing":
      return <State tone="none">{m("markets.offers.nothing")}</State>;
    case "needs":
      return <State tone="warn">{m("markets.offers.needs", { version })}</State>;
    case "elsewhere":
      return <State tone="none">{m("markets.offers.elsewhere")}</State>;
    case "installed":
      return <State tone="good">{m("markets.offers.installed")}</State>;
    case "update":
      return <State tone="warn">{m("markets.offers.update", { version: offer.installed?.version ?? "" })}</State>;
    case "new":
      return null;
  }
};

export const Offers = ({ market }: { market: string }) => {
  const { search } = useListSearch();
  const query = useQuery(offersQuery(market, search));
  return (
    <Section title={m("markets.offers.title")}>
      <ListBar label={m("markets.offers.search")} />
      <DataTable
        label={m("markets.offers.title")}
        query={query}
        columns={columns(market)}
        keyOf={({ productSlug }) => productSlug}
        stack
        link={({ productSlug }) => offerAddress(market, productSlug)}
        empty={<Empty title={m("markets.offers.empty")}>{m("markets.offers.emptyHow")}</Empty>}
      />
    </Section>
  );
};
