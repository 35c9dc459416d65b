// One market: how it is, and what can be done with it.
import "./markets.css";
import { ActionIcon, Button, Menu } from "@mantine/core";
import { IconDots } from "../kit/icons";
import { useMutation } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { Confirm } from "../kit/Confirm";
import { ErrorPage, isUnread } from "../kit/ErrorNote";
import { May } from "../kit/may";
import { Missing } from "../kit/Missing";
import { Page, Section, Summary } from "../kit/Page";
import { Pending } from "../kit/Pending";
import { reason } from "../kit/reason";
import { tell, tellFailure } from "../kit/toast";
import { useListSearch } from "../kit/useListSearch";
import { Time } from "../kit/values";
import { t } from "../text";
import { addressOf, home } from "./addresses";
import { check, remove, self, useMarket, useRefresh, type Market } from "./data";
import { Fingerprint } from "./Fingerprint";
import { Offers } from "./Offers";
import { OperationPanel } from "./Operation";
import { usePending } from "./operations";
import { MarketState, meaning, nameOf, stateWord, tones } from "./state";
import { m } from "./text";

export const MarketPage = () => {
  const { market: id } = useParams({ strict: false }) as { market: string };
  const market = useMarket(id);
  if (market.isPending) return <Pending />;
  if (isUnread(market)) return <ErrorPage error={market.error} />;
  return market.data ? <Found market={market.data} /> : <Missing />;
};

const Found = ({ market }: { market: Market }) => {
  const local = market.market === self;
  return (
    <Page
      title={nameOf(market)}
      above={[{ title: m("markets.title"), to: home }]}
      badge={<MarketState market={market} />}
      actions={!local && <Actions market={market} />}>
      {market.state !== "ok" && (
        <div className="note" data-tone={tones[market.state]} role="status">
          <p>{meaning(market)}</p>
          {market.reason && (
            <p className="small" lang="en">
              <code className="wrap">{market.reason}</code>
            </p>
          )}
        </div>
      )}
      <UnderWay market={market.market} />
      {local ? (
        <p className="soft prose" style={{ margin: 0 }}>
          {meaning(market)}
        </p>
      ) : (
        <Facts market={market} />
      )}
      <Offers market={market.market} />
    </Page>
  );
};

// UnderWay shows the operation that the address names. Without one, the newest that has not ended is put there, so that
// its end is seen as well.
const UnderWay = ({ market }: { market: string }) => {
  const { search } = useListSearch();
  const navigate = useNavigate();
  const pending = usePending(market);
  const newest = pending[0]?.operationId;
  const shown = search["operation"] === undefined ? undefined : String(search["operation"]);
  useEffect(() => {
    if (!shown && newest)
      void navigate({ to: ".", search: ((now: object) => ({ ...now, operation: newest })) as never, replace: true });
  }, [shown, newest, navigate]);
  const others = pending.filter(({ operationId }) => operationId !== shown);
  return (
    <>
      {shown && <OperationPanel key={shown} id={shown} />}
      {others.length > 0 && (
        <Section title={m("markets.operation.others")}>
          <ul className="rows">
            {others.map(({ operationId, kind, productSlug, createdAt }) => (
              <li key={operationId}>
                <Link to={addressOf(market) as string} search={{ operation: operationId } as never}>
                  {m(`markets.operation.${kind}`, { product: productSlug })}
                </Link>
                <span className="soft">
                  <Time at={createdAt} />
                </span>
              </li>
            ))}
          </ul>
        </Section>
      )}
    </>
  );
};

const Facts = ({ market: { url, rootFingerprint, checkedAt, addedAt } }: { market: Market }) => (
  <Summary
    facts={[
      [
        m("markets.column.url"),
        <a key="url" href={url} target="_blank" rel="noopener noreferrer">
          {url}
        </a>,
      ],
      [m("markets.column.checked"), <Time key="c" at={checkedAt} />],
      [m("markets.addedAt"), <Time key="a" at={addedAt} />],
      ...(rootFingerprint
        ? ([[m("markets.fingerprint"), <Fingerprint key="f" of={rootFingerprint} />]] as [string, React.ReactNode][])
        : []),
    ]}
  />
);

const Actions = ({ market: shown }: { market: Market }) => {
  const { market } = shown;
  const name = nameOf(shown);
  const [asking, setAsking] = useState(false);
  const refresh = useRefresh();
  const navigate = useNavigate();
  const now = useMutation({
    mutationFn: () => check(market),
    onSuccess: (after) => {
      void refresh();
      const told = m("markets.checked", { name, state: stateWord(after.state) });
      if (after.state === "ok") tell(told);
      else tellFailure(told);
    },
    onError: (error) => tellFailure(reason(error)),
  });
  const forget = async () => {
    await remove(market);
    await navigate({ to: home });
    void refresh();
  };
  return (
    <May needs="markets:write">
      <Button loading={now.isPending} onClick={() => now.mutate()}>
        {m("markets.check")}
      </Button>
      <Menu>
        <Menu.Target>
          <ActionIcon variant="default" aria-label={t("plugins.more")}>
            <IconDots size={18} stroke={1.5} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item color="red" onClick={() => setAsking(true)}>
            {m("markets.remove.menu")}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        title={m("markets.remove.title", { name })}
        effects={[m("markets.remove.first"), m("markets.remove.effect1"), m("markets.remove.effect2")]}
        action={m("markets.remove.button", { name })}
        done={m("markets.remove.done", { name })}
        run={forget}
      />
    </May>
  );
};
