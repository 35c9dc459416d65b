// The part of the screen of ways to sign in that is about accounts at other sites.
import { useState } from "react";
import { api, ok, type Schemas } from "../../api/client";
import { leave } from "../../api/provider";
import { useAccount, useRefresh } from "./data";
import { Row, Since } from "./Row";
import { useIdentities, useProviders } from "../Elsewhere";
import { there } from "../elsewhereText";
import { useProved } from "../proof";
import { Ago, Badge, Button, Day, Failure, Told, useHeading } from "../ui";

type Identity = Schemas["Identity"];

export const Identities = () => {
  const account = useAccount();
  const providers = useProviders();
  const linked = useIdentities();
  const [told, setTold] = useState("");
  const { heading, toHeading } = useHeading();
  const more = providers.data?.filter(({ slug }) => !linked.data?.items.some((one) => one.provider === slug)) ?? [];
  const any = linked.data && (linked.data.items.length > 0 || more.length > 0);
  if (!account.data || !(any || linked.isError)) return null;
  return (
    <section aria-labelledby="elsewhere">
      <h2 id="elsewhere" ref={heading} tabIndex={-1}>
        {there("elsewhere.title")}
      </h2>
      <p className="soft">{there("elsewhere.how")}</p>
      <Told>{told}</Told>
      {linked.isError && <Failure error={linked.error} retry={() => void linked.refetch()} />}
      {linked.data && linked.data.items.length > 0 && (
        <List
          items={linked.data.items}
          onRemoved={(name) => {
            setTold(there("elsewhere.removed", { name }));
            toHeading();
          }}
        />
      )}
      {more.length > 0 &&
        (account.data.secondFactor.available ? <Add to={more} /> : <p>{there("elsewhere.unproven")}</p>)}
    </section>
  );
};

const nameOf = (one: Identity) => one.name || there("elsewhere.gone");

const List = ({ items, onRemoved }: { items: Identity[]; onRemoved: (name: string) => void }) => {
  const refresh = useRefresh();
  return (
    <ul className="list">
      {items.map((one) => {
        const name = nameOf(one);
        return (
          <Row
            key={one.id}
            name={name}
            facts={
              <>
                {!one.enabled && <Badge tone="none">{there("elsewhere.off")}</Badge>}
                {one.email && <span>{one.email}</span>}
                <Since word={there("elsewhere.since")}>
                  <Day at={one.createdAt} />
                </Since>
                {one.lastUsedAt && (
                  <Since word={there("elsewhere.used")}>
                    <Ago at={one.lastUsedAt} />
                  </Since>
                )}
              </>
            }
            deeds={[
              {
                word: there("elsewhere.remove"),
                named: there("elsewhere.removeNamed", { name }),
                how: there("elsewhere.removeWarning", { name }),
                act: () => ok(api.DELETE("/auth/identities/{id}", { params: { path: { id: one.id } } })),
              },
            ]}
            keep={there("elsewhere.keep")}
            onDone={async () => {
              await refresh();
              onRemoved(name);
            }}
          />
        );
      })}
    </ul>
  );
};

const Add = ({ to }: { to: { slug: string; name: string }[] }) => {
  const going = useProved({ mutationFn: (slug: string) => leave(slug, "link", "/account/sign-in") });
  return (
    <>
      {going.error && <Failure error={going.error} />}
      {going.proof}
      <p className="row" hidden={going.proof !== null}>
        {to.map(({ slug, name }) => (
          <Button key={slug} type="button" busy={going.isPending} onClick={() => going.mutate(slug)}>
            {there("elsewhere.add", { name })}
          </Button>
        ))}
      </p>
    </>
  );
};
