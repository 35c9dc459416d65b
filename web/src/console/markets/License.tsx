// The license of a package that came from the market of another stoa: how it is, and what to do.
import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { api, data } from "../../api/client";
import { formatDay } from "../../text/format";
import { May } from "../kit/may";
import { Section, Summary } from "../kit/Page";
import { PageLink } from "../kit/pages";
import { reason } from "../kit/reason";
import { tell, tellFailure } from "../kit/toast";
import { State, Time, type Tone } from "../kit/values";
import { addressOf, offerAddress } from "./addresses";
import { useMarket, type Kind, type License, type Market } from "./data";
import { useOrder } from "./order";
import { nameOf } from "./state";
import { t } from "../text";
import { m } from "./text";

interface Of {
  kind: Kind;
  slug: string;
}

const tones: Record<License["state"], Tone> = { trial: "none", valid: "good", grace: "warn", lapsed: "bad" };

// LicenseSection shows nothing for a package without a license.
export const LicenseSection = ({ kind, slug }: Of) => {
  const found = useQuery({
    queryKey: ["extensions", kind, slug, "license"],
    queryFn: () => data(api.GET("/api/v1/admin/extensions/{kind}/{slug}", { params: { path: { kind, slug } } })),
    refetchInterval: 60_000,
  });
  const license = found.data?.license;
  return license ? <Known kind={kind} slug={slug} license={license} /> : null;
};

const Known = ({ kind, slug, license }: Of & { license: License }) => {
  const { market: id, product, state } = license;
  const market = useMarket(id).data;
  const offer = offerAddress(id, product);
  const name = market ? nameOf(market) : id;
  return (
    <Section title={m("markets.license.title")} actions={<Actions kind={kind} slug={slug} license={license} />}>
      <What license={license} market={market} />
      <Summary
        facts={[
          [
            m("markets.column.state"),
            <State key="state" tone={tones[state]}>
              {m(`markets.license.state.${state}`)}
            </State>,
          ],
          [
            m("markets.offers.column.name"),
            <PageLink key="product" to={offer}>
              {product}
            </PageLink>,
          ],
          [
            m("markets.column.name"),
            <PageLink key="market" to={addressOf(id)}>
              {name}
            </PageLink>,
          ],
          ...(license.bundle ? ([[t("plugins.kinds.bundle"), license.bundle]] as [string, React.ReactNode][]) : []),
          [m("markets.license.instance"), license.instance],
          [m("markets.get.plan"), license.tier],
          [
            m("markets.license.ends"),
            license.expiresAt ? <Time key="ends" at={license.expiresAt} /> : m("markets.license.never"),
          ],
          ...(state === "lapsed"
            ? []
            : ([[m("markets.license.until"), <Time key="until" at={license.graceUntil} />]] as [
                string,
                React.ReactNode,
              ][])),
          [m("markets.column.checked"), <Time key="checked" at={license.checkedAt} />],
          ...(license.keyTail
            ? ([[m("markets.license.key"), <code key="key">…{license.keyTail}</code>]] as [string, React.ReactNode][])
            : []),
        ]}
      />
    </Section>
  );
};

// ofOwner are the reasons that the license's owner ends on the market: by renewing, paying, or freeing a seat.
const ofOwner: License["reason"][] = ["expired", "unpaid", "not_activated"];

// What says what a state other than valid means, and the way out.
const What = ({ license, market }: { license: License; market: Market | null | undefined }) => {
  const { state, reason: why, expiresAt, graceUntil } = license;
  switch (state) {
    case "valid":
      return null;
    case "trial":
      return expiresAt ? <p className="flat">{m("markets.license.trial", { date: formatDay(expiresAt) })}</p> : null;
    case "grace":
      return (
        <p className="note" data-tone="warn">
          {m("markets.license.grace", { date: formatDay(graceUntil) })}
        </p>
      );
    case "lapsed":
      return (
        <div className="note" data-tone="bad">
          <p>{m(`markets.license.reason.${why ?? "unreachable"}`)}</p>
          <p>{m("markets.license.stays")}</p>
          {market && why && ofOwner.includes(why) && (
            <p>
              <a href={`${market.url}/licenses`} target="_blank" rel="noopener noreferrer">
                {m("markets.license.there", { market: nameOf(market) })}
              </a>
            </p>
          )}
        </div>
      );
  }
};

const Actions = ({ kind, slug, license }: Of & { license: License }) => {
  const client = useQueryClient();
  const { market, product, state, reason: why } = license;
  const check = useMutation({
    mutationFn: () =>
      data(api.POST("/api/v1/admin/extensions/{kind}/{slug}/license/check", { params: { path: { kind, slug } } })),
    onSuccess: (after) => {
      const told = m("markets.license.checked", { state: m(`markets.license.state.${after.state}`) });
      if (after.state === "grace" || after.state === "lapsed") tellFailure(told);
      else tell(told);
      return Promise.all(
        ["extensions", "plugins", "overview"].map((area) => client.invalidateQueries({ queryKey: [area] })),
      );
    },
    onError: (error) => tellFailure(reason(error)),
  });
  // An install without a key takes a seat with the one that is kept.
  const order = useOrder(market, product);
  const navigate = useNavigate();
  const takeSeat = () =>
    order.mutate(
      { way: "update", grants: [] },
      {
        onSuccess: (begun) => {
          if ("operationId" in begun)
            void navigate({ to: addressOf(market) as string, search: { operation: begun.operationId } as never });
        },
        onError: (error) => tellFailure(reason(error)),
      },
    );
  const to = (way: string) => ({ to: offerAddress(market, product), search: { way } }) as object;
  const goesOn = state === "trial" || why === "trial_ended"; // bought, the same license does
  const forSale = goesOn || why === "expired" || why === "revoked";
  return (
    <May needs="extensions:install">
      <Button loading={check.isPending} onClick={() => check.mutate()}>
        {m("markets.check")}
      </Button>
      {why === "not_activated" && (
        <Button variant="filled" loading={order.isPending} onClick={takeSeat}>
          {m("markets.license.seat")}
        </Button>
      )}
      <Button component={Link} {...to("key")}>
        {m("markets.get.replace")}
      </Button>
      {forSale && (
        <Button variant={goesOn ? "filled" : "default"} component={Link} {...to("buy")}>
          {m("markets.get.ways.buy")}
        </Button>
      )}
    </May>
  );
};
