// The part of the screen of ways to sign in that is about passkeys.
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { api, data, ok } from "../../api/client";
import { mayUsePasskeys } from "../../api/entry";
import { accountKey, useAccount, useRefresh } from "./data";
import { Row, Since } from "./Row";
import { Unproven } from "../code";
import { step } from "../stepText";
import { c, t } from "../text";
import { useAddPasskey } from "../useAddPasskey";
import { Ago, Badge, Button, Day, Failure, Field, Told, useFaults, useHeading } from "../ui";

// useMayUse tells whether passkeys can be made here.
export const useMayUse = () => useQuery({ queryKey: ["passkeys"], queryFn: mayUsePasskeys, staleTime: Infinity });

export const Passkeys = () => {
  const account = useAccount();
  const may = useMayUse();
  const list = useList();
  const [told, setTold] = useState("");
  const { heading, toHeading } = useHeading();
  if (!account.data || (!may.data && account.data.secondFactor.passkeys === 0)) return null;
  return (
    <section aria-labelledby="passkeys">
      <h2 id="passkeys" ref={heading} tabIndex={-1}>
        {step("step.passkeys")}
      </h2>
      <p className="soft">{step("step.passkeysHow")}</p>
      <Told>{told}</Told>
      <List
        onRemoved={() => {
          setTold(step("step.passkeyRemoved"));
          toHeading();
        }}
        onRenamed={(name) => {
          setTold(step("step.renamed", { name }));
          toHeading();
        }}
      />
      {may.data && account.data.secondFactor.available && (
        <Add
          names={list.data?.items.map(({ name }) => name) ?? []}
          onAdded={(name) => {
            setTold(step("step.passkeyAdded", { name }));
            toHeading();
          }}
        />
      )}
      {account.data.secondFactor.passkeys > 0 && account.data.secondFactor.recoveryCodesLeft === 0 && (
        <p className="note" data-tone="warn">
          {step("step.noCodes")} <a href="/account/second-step">{step("step.getCodes")}</a>
        </p>
      )}
      {may.data && !account.data.secondFactor.available && <p>{step("step.unprovenPasskey")}</p>}
    </section>
  );
};

const useList = () =>
  useQuery({ queryKey: [...accountKey, "passkeys"], queryFn: () => data(api.GET("/auth/passkeys")) });

interface ListProps {
  onRemoved: () => void;
  onRenamed: (name: string) => void;
}

const List = ({ onRemoved, onRenamed }: ListProps) => {
  const refresh = useRefresh();
  const list = useList();
  const [named, setNamed] = useState(""); // the one that gets another name
  if (list.isError) return <Failure error={list.error} retry={() => void list.refetch()} />;
  if (!list.data || list.data.items.length === 0) return null;
  return (
    <ul className="list">
      {list.data.items.map(({ id, name, ...one }) =>
        named === id ? (
          <li key={id}>
            <Rename
              id={id}
              name={name}
              onEnd={(now) => {
                setNamed("");
                if (now !== null) onRenamed(now);
              }}
            />
          </li>
        ) : (
          <Row
            key={id}
            name={name}
            facts={
              <>
                {one.backedUp && <Badge tone="none">{step("step.synced")}</Badge>}
                {one.provider && <span>{one.provider}</span>}
                <Since word={step("step.added")}>
                  <Day at={one.createdAt} />
                </Since>
                {one.lastUsedAt && (
                  <Since word={step("step.used")}>
                    <Ago at={one.lastUsedAt} />
                  </Since>
                )}
              </>
            }
            other={
              <button
                type="button"
                className="button slim"
                aria-label={step("step.renameNamed", { name })}
                onClick={() => setNamed(id)}>
                {step("step.rename")}
              </button>
            }
            deeds={[
              {
                word: step("step.remove"),
                named: step("step.removeNamed", { name }),
                how: step("step.removeWarning", { name }),
                act: () => ok(api.DELETE("/auth/passkeys/{id}", { params: { path: { id } } })),
              },
            ]}
            keep={step("step.keepPasskey")}
            onDone={async () => {
              await refresh();
              onRemoved();
            }}
          />
        ),
      )}
    </ul>
  );
};

interface RenameProps {
  id: string;
  name: string;
  onEnd: (name: string | null) => void;
}

const Rename = ({ id, name, onEnd }: RenameProps) => {
  const refresh = useRefresh();
  const { faults, form, check } = useFaults<"name">();
  const rename = useMutation({
    mutationFn: (to: string) =>
      data(api.PATCH("/auth/passkeys/{id}", { params: { path: { id } }, body: { name: to } })),
    onSuccess: async (now) => {
      await refresh();
      onEnd(now.name);
    },
  });
  const send = (e: FormEvent<HTMLFormElement>) => {
    e.preventDefault();
    const to = String(new FormData(e.currentTarget).get("name")).trim();
    if (check(to ? {} : { name: t("required") }) && !rename.isPending) rename.mutate(to);
  };
  return (
    <form className="form" ref={form} onSubmit={send} noValidate>
      <Field
        label={step("step.passkeyName")}
        name="name"
        maxLength={64}
        defaultValue={name}
        required
        autoFocus
        fault={faults.name}
      />
      {rename.error && <Failure error={rename.error} />}
      <p className="row">
        <Button busy={rename.isPending}>{step("step.rename")}</Button>
        <button type="button" className="button" onClick={() => onEnd(null)}>
          {c("cancel")}
        </button>
      </p>
    </form>
  );
};

interface AddProps {
  names: string[]; // of those that there are
  onAdded: (name: string) => void;
}

// freeName is the name of a new passkey, which none of the others has.
const freeName = (names: string[]) => {
  const name = step("step.passkeyHere");
  let n = 1;
  const numbered = () => (n === 1 ? name : `${name} ${n}`);
  while (names.includes(numbered())) n += 1;
  return numbered();
};

// Add has the device make a passkey at once: it may be renamed later.
export const Add = ({ names, onAdded }: AddProps) => {
  const add = useAddPasskey(onAdded);
  return (
    <>
      {add.proof}
      {add.error && <Unproven error={add.error} />}
      <p hidden={add.proof !== null}>
        <Button type="button" busy={add.isPending} onClick={() => add.mutate(freeName(names))}>
          {step("step.addPasskey")}
        </Button>
      </p>
    </>
  );
};
