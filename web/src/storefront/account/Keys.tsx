// The part of the screen of keys and data that is about API keys.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { api, data, ok, type Schemas } from "../../api/client";
import { endsIn, isOver, mayBeScope, terms, usualTerm } from "../../text/scopes";
import { Unproven } from "../code";
import { own } from "../ownText";
import { useProved } from "../proof";
import { t } from "../text";
import { Ago, Badge, Button, Copy, Day, Failure, Field, Told, useFaults, useHeading, Waiting } from "../ui";
import { useAccount } from "./data";
import { Row, Since } from "./Row";

type Key = Schemas["ApiKey"];
type Made = Schemas["ApiKeyMade"];

const listKey = ["api-keys"];

export const Keys = () => {
  const queries = useQueryClient();
  const list = useQuery({ queryKey: listKey, queryFn: () => data(api.GET("/auth/api-keys")) });
  const { heading, toHeading } = useHeading();
  const [made, setMade] = useState<Made | null>(null);
  const [told, setTold] = useState("");
  const changed = async (now: Made | null) => {
    await queries.invalidateQueries({ queryKey: listKey });
    setMade(now);
    setTold(now ? "" : own("account.keys.revoked"));
    toHeading();
  };
  return (
    <section aria-labelledby="keys">
      <h2 id="keys" ref={heading} tabIndex={-1}>
        {own("account.keys.title")}
      </h2>
      <p className="soft">{own("account.keys.about")}</p>
      <Told>{told}</Told>
      {made && <Shown made={made} onDone={() => setMade(null)} />}
      {list.isPending ? (
        <Waiting />
      ) : list.isError ? (
        <Failure error={list.error} retry={() => void list.refetch()} />
      ) : list.data.items.length === 0 ? (
        <p>{own("account.keys.none")}</p>
      ) : (
        <ul className="list">
          {list.data.items.map((one) => (
            <One key={one.id} one={one} onChanged={changed} />
          ))}
        </ul>
      )}
      {!made && <New onMade={(now) => void changed(now)} />}
    </section>
  );
};

const Shown = ({ made, onDone }: { made: Made; onDone: () => void }) => (
  <div className="note" data-tone="warn">
    <p>{own("account.keys.shown", { name: made.name })}</p>
    <Copy value={made.key} what={own("account.keys.key")} primary />
    <p>
      <button type="button" className="button" onClick={onDone}>
        {own("account.keys.done")}
      </button>
    </p>
  </div>
);

const nameOf = (scope: string) =>
  scope === "self:read"
    ? own("account.keys.read")
    : scope === "self:write"
      ? own("account.keys.write")
      : own("account.keys.staff", { name: scope });

const One = ({ one, onChanged }: { one: Key; onChanged: (now: Made | null) => Promise<void> }) => {
  const path = { params: { path: { id: one.id } } };
  const over = isOver(one.expiresAt);
  const { name } = one;
  const rotate = {
    word: own("account.keys.rotate"),
    named: own("account.keys.rotateNamed", { name }),
    how: own("account.keys.rotateHow"),
    act: (): Promise<Made | null> => data(api.POST("/auth/api-keys/{id}/rotate", path)),
  };
  const revoke = {
    word: own("account.keys.revoke"),
    named: own("account.keys.revokeNamed", { name }),
    how: own("account.keys.revokeHow", { name }),
    act: async (): Promise<Made | null> => {
      await ok(api.DELETE("/auth/api-keys/{id}", path));
      return null;
    },
  };
  return (
    <Row
      name={name}
      facts={
        <>
          {over && <Badge tone="bad">{own("account.keys.ended")}</Badge>}
          <Since word={own("account.keys.made")}>
            <Day at={one.createdAt} />
          </Since>
          {one.expiresAt !== null && !over && (
            <Since word={own("account.keys.ends")}>
              <Day at={one.expiresAt} />
            </Since>
          )}
          {one.lastUsedAt === null ? (
            <span>{own("account.keys.unused")}</span>
          ) : (
            <Since word={own("account.keys.used")}>
              <Ago at={one.lastUsedAt} />
            </Since>
          )}
          {one.lastAddress && <span>{one.lastAddress}</span>}
        </>
      }
      more={<p className="small soft">{one.scopes.map(nameOf).join(" · ")}</p>}
      deeds={over ? [revoke] : [rotate, revoke]}
      keep={own("account.keys.keep")}
      onDone={onChanged}
    />
  );
};

const New = ({ onMade }: { onMade: (now: Made) => void }) => {
  const account = useAccount();
  const { faults, form, check } = useFaults<"name" | "scopes">();
  const create = useProved({
    mutationFn: (body: { name: string; scopes: string[]; expiresAt: string }) =>
      data(api.POST("/auth/api-keys", { body })),
    onSuccess: (now) => {
      form.current?.reset();
      onMade(now);
    },
  });
  const send = (e: FormEvent<HTMLFormElement>) => {
    e.preventDefault();
    const fields = new FormData(e.currentTarget);
    const name = String(fields.get("name")).trim();
    const scopes = fields.getAll("scopes").map(String);
    const found = {
      ...(!name && { name: t("required") }),
      ...(scopes.length === 0 && { scopes: own("account.keys.missing") }),
    };
    if (check(found) && !create.isPending)
      create.mutate({ name, scopes, expiresAt: endsIn(Number(fields.get("days"))) });
  };
  const scopes = ["self:read", "self:write", ...(account.data?.permissions ?? []).filter(mayBeScope)];
  return (
    <>
      {create.proof}
      <form className="form" ref={form} onSubmit={send} noValidate hidden={create.proof !== null}>
        <h3>{own("account.keys.new")}</h3>
        <Field
          label={own("account.keys.name")}
          hint={own("account.keys.nameHow")}
          name="name"
          maxLength={64}
          required
          fault={faults.name}
        />
        <fieldset className="form-field">
          <legend>{own("account.keys.scopes")}</legend>
          {scopes.map((scope) => (
            <label key={scope} className="check">
              <input
                type="checkbox"
                name="scopes"
                value={scope}
                defaultChecked={scope === "self:read"}
                aria-invalid={faults.scopes ? true : undefined}
              />{" "}
              {nameOf(scope)}
            </label>
          ))}
          {faults.scopes && <p className="fault">{faults.scopes}</p>}
        </fieldset>
        <div className="form-field">
          <label htmlFor="key-days">{own("account.keys.days")}</label>
          <select id="key-days" className="field" name="days" defaultValue={usualTerm}>
            {terms.map((days) => (
              <option key={days} value={days}>
                {own("account.keys.daysOf", { days: String(days) })}
              </option>
            ))}
          </select>
        </div>
        {create.error && <Unproven error={create.error} />}
        <p>
          <Button busy={create.isPending}>{own("account.keys.create")}</Button>
        </p>
      </form>
    </>
  );
};
