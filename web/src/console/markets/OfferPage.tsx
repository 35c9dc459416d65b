// One product of a market: what its package is, what it asks for, and the ways to get it.
import "./markets.css";
import { useParams } from "@tanstack/react-router";
import { formatDay } from "../../text/format";
import { ErrorPage, isUnread } from "../kit/ErrorNote";
import { may } from "../kit/may";
import { Missing } from "../kit/Missing";
import { Page, Summary } from "../kit/Page";
import { PageLink } from "../kit/pages";
import { Pending } from "../kit/Pending";
import { t } from "../text";
import { addressOf, home, packageAddress } from "./addresses";
import { useMarket, type Market, type Offer } from "./data";
import { Get } from "./Get";
import { cheapest, standing, useOffer } from "./offers";
import { Standing } from "./Offers";
import { nameOf } from "./state";
import { m } from "./text";

export const OfferPage = () => {
  const { market: id, product } = useParams({ strict: false }) as { market: string; product: string };
  const market = useMarket(id);
  const offer = useOffer(id, product);
  if (market.isPending || offer.isPending) return <Pending />;
  if (isUnread(market)) return <ErrorPage error={market.error} />;
  if (isUnread(offer)) return <ErrorPage error={offer.error} />;
  return market.data && offer.data ? <Found market={market.data} offer={offer.data} /> : <Missing />;
};

const Found = ({ market, offer }: { market: Market; offer: Offer }) => {
  const { name, description, package: pack, installed } = offer;
  const here = standing(offer);
  return (
    <Page
      title={name}
      above={[
        { title: m("markets.title"), to: home },
        { title: nameOf(market), to: addressOf(market.market) },
      ]}
      badge={<Standing of={offer} />}>
      {description && (
        <p className="prose" style={{ margin: 0 }}>
          {description}
        </p>
      )}
      <Facts market={market} offer={offer} />
      {here === "nothing" && <p className="note">{m("markets.offers.nothingHow")}</p>}
      {here === "needs" && (
        <p className="note" data-tone="warn">
          {m("markets.offers.needsHow", { version: pack?.minPlatform ?? "" })}
        </p>
      )}
      {here === "elsewhere" && <p className="note">{m("markets.offers.elsewhereHow")}</p>}
      {pack && installed && (
        <p style={{ margin: 0 }}>
          <PageLink to={packageAddress(pack)}>
            {m("markets.offers.isInstalled", { version: installed.version })}
          </PageLink>
        </p>
      )}
      {pack && (here === "new" || here === "update" || here === "installed") && may("extensions:install") && (
        <Get market={market} offer={offer} pack={pack} here={here} />
      )}
    </Page>
  );
};

const Facts = ({ market, offer }: { market: Market; offer: Offer }) => {
  const { url, package: pack } = offer;
  return (
    <Summary
      facts={[
        [m("markets.offers.column.price"), cheapest(offer)],
        ...(pack
          ? ([
              [t("plugins.install.kind"), t(`plugins.kinds.${pack.kind}`)],
              [m("markets.offers.column.version"), pack.version],
              [m("markets.offers.published"), formatDay(pack.publishedAt)],
              [
                m("markets.offers.column.signed"),
                <span key="s" title={pack.signer.key}>
                  {pack.signer.name}
                </span>,
              ],
            ] as [string, React.ReactNode][])
          : []),
        [
          m("markets.offers.column.more"),
          <a key="url" href={url} target="_blank" rel="noopener noreferrer">
            {m("markets.offers.page", { market: nameOf(market) })}
          </a>,
        ],
      ]}
    />
  );
};
