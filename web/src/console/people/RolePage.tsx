// A role: what it allows, who has it; and a new one.
import { Button, Select, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useState, type FormEvent } from "react";
import { api, data, ok } from "../../api/client";
import { useSession } from "../../api/useSession";
import { Confirm } from "../kit/Confirm";
import { ErrorNote, ErrorPage, isUnread } from "../kit/ErrorNote";
import { may, roleName } from "../kit/may";
import { Missing } from "../kit/Missing";
import { Page, Section, Summary } from "../kit/Page";
import { Pending } from "../kit/Pending";
import { History } from "../kit/Timeline";
import { tell } from "../kit/toast";
import { useFaults } from "../kit/useFaults";
import { State } from "../kit/values";
import { t } from "../text";
import { Rights, RightsList } from "./Rights";
import { exceeds, permissionsQuery, rolesQuery, type Role } from "./roles";

const above = [{ title: t("roles.title"), to: "/people/roles" }];

const useRefresh = () => {
  const cache = useQueryClient();
  return () => Promise.all(["roles", "users", "audit"].map((key) => cache.invalidateQueries({ queryKey: [key] })));
};

export const RolePage = () => {
  const { name = "" } = useParams({ strict: false }) as { name?: string };
  const roles = useQuery(rolesQuery);
  const permissions = useQuery(permissionsQuery);
  if (isUnread(roles)) return <ErrorPage error={roles.error} />;
  if (isUnread(permissions)) return <ErrorPage error={permissions.error} />;
  if (!roles.data || !permissions.data) return <Pending />;
  const role = roles.data.find((one) => one.name === name);
  if (!role) return <Missing />;
  return <Found key={`${role.name} ${role.permissions.join(" ")}`} role={role} catalog={permissions.data} />;
};

const Found = ({ role, catalog }: { role: Role; catalog: string[] }) => {
  const own = useSession()?.user.role === role.name;
  const title = roleName(role.name);
  const why = role.builtIn ? "roles.fixed" : own ? "roles.yours" : exceeds(role) ? "roles.above" : null;
  const open = may("staff:write") && why === null;
  return (
    <Page title={title} above={above} {...(open && role.holders === 0 ? { actions: <Delete role={role} /> } : {})}>
      {may("staff:write") && why && <p className="soft prose flat">{t(why)}</p>}
      <Summary
        facts={[
          [
            t("roles.kind"),
            <State key="k" tone="none">
              {t(role.builtIn ? "roles.builtIn" : "roles.own")}
            </State>,
          ],
          [
            t("roles.holders"),
            role.holders > 0 ? (
              <Link key="h" to="/people/staff" search={{ role: role.name } as never}>
                {t.count("roles.people", role.holders)}
              </Link>
            ) : (
              t.count("roles.people", 0)
            ),
          ],
          [t("roles.count"), role.permissions.length],
        ]}
      />
      <Allowed role={role} catalog={catalog} open={open} />
      {open && role.holders > 0 && <p className="soft prose flat">{t.count("roles.delete.held", role.holders)}</p>}
      {!role.builtIn && (
        <Section title={t("timeline.title")}>
          <History targets={[`role:${role.name}`]} />
        </Section>
      )}
    </Page>
  );
};

// Allowed is what a role allows. A change is shown as what is added and removed before it is saved.
const Allowed = ({ role, catalog, open }: { role: Role; catalog: string[]; open: boolean }) => {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(role.permissions));
  const [asked, setAsked] = useState(false);
  const refresh = useRefresh();
  const added = [...chosen].filter((name) => !role.permissions.includes(name));
  const removed = role.permissions.filter((name) => !chosen.has(name));
  const changes = added.length + removed.length;
  const run = async () => {
    await data(
      api.PATCH("/api/v1/admin/roles/{name}", {
        params: { path: { name: role.name } },
        body: { permissions: [...chosen] },
      }),
    );
    void refresh();
  };
  return (
    <>
      <Rights
        all={[...new Set([...catalog, ...role.permissions, ...chosen])]}
        chosen={chosen}
        onChange={open ? setChosen : undefined}
      />
      {open && <OnePlugin onAdd={(name) => setChosen(new Set([...chosen, name]))} />}
      {changes > 0 && (
        <div className="save-bar">
          <span className="soft" role="status">
            {chosen.size === 0 ? t("roles.none") : t.count("roles.dirty", changes)}
          </span>
          <span className="row">
            <Button onClick={() => setChosen(new Set(role.permissions))}>{t("roles.discard")}</Button>
            <Button variant="filled" disabled={chosen.size === 0} onClick={() => setAsked(true)}>
              {t("roles.save")}
            </Button>
          </span>
        </div>
      )}
      <Confirm
        open={asked}
        onClose={() => setAsked(false)}
        danger={removed.length > 0}
        title={t("roles.change.title", { name: roleName(role.name) })}
        effects={[t.count("roles.change.concerns", role.holders)]}
        action={t("roles.save")}
        run={run}
        done={t("roles.change.done", { name: roleName(role.name) })}>
        {added.length > 0 && (
          <div>
            <p className="flat">{t("roles.change.added")}</p>
            <RightsList names={added} />
          </div>
        )}
        {removed.length > 0 && (
          <div>
            <p className="flat">{t("roles.change.removed")}</p>
            <RightsList names={removed} />
          </div>
        )}
      </Confirm>
    </>
  );
};

// OnePlugin adds the permission to use a single plugin.
const OnePlugin = ({ onAdd }: { onAdd: (name: string) => void }) => {
  const [slug, setSlug] = useState("");
  const good = /^[a-z0-9][a-z0-9-]*$/.test(slug);
  const add = () => {
    if (!good) return;
    onAdd(`extensions:use:${slug}`);
    setSlug("");
  };
  return (
    <div className="row" style={{ alignItems: "flex-end" }}>
      <TextInput
        label={t("roles.onePlugin")}
        description={t("roles.onePluginHow")}
        value={slug}
        w={240}
        autoComplete="off"
        spellCheck={false}
        onChange={(e) => setSlug(e.currentTarget.value.trim())}
        onKeyDown={(e) => {
          if (e.key !== "Enter") return;
          e.preventDefault(); // it is a field of the form of the role
          add();
        }}
      />
      <Button disabled={!good} onClick={add}>
        {t("roles.addPlugin")}
      </Button>
    </div>
  );
};

const Delete = ({ role }: { role: Role }) => {
  const [asked, setAsked] = useState(false);
  const refresh = useRefresh();
  const navigate = useNavigate();
  const name = { name: roleName(role.name) };
  const run = async () => {
    await ok(api.DELETE("/api/v1/admin/roles/{name}", { params: { path: { name: role.name } } }));
    await navigate({ to: "/people/roles" as string });
    void refresh();
  };
  return (
    <>
      <Button data-danger onClick={() => setAsked(true)}>
        {t("roles.delete.action")}
      </Button>
      <Confirm
        open={asked}
        onClose={() => setAsked(false)}
        title={t("roles.delete.title", name)}
        effects={[t("roles.delete.effect")]}
        action={t("roles.delete.action")}
        run={run}
        done={t("roles.delete.done", name)}
      />
    </>
  );
};

export const NewRolePage = () => {
  const roles = useQuery(rolesQuery);
  const permissions = useQuery(permissionsQuery);
  if (isUnread(roles)) return <ErrorPage error={roles.error} />;
  if (isUnread(permissions)) return <ErrorPage error={permissions.error} />;
  if (!roles.data || !permissions.data) return <Pending />;
  return (
    <Page title={t("roles.new")} above={above}>
      <Form roles={roles.data} catalog={permissions.data} />
    </Page>
  );
};

const Form = ({ roles, catalog }: { roles: Role[]; catalog: string[] }) => {
  const [name, setName] = useState("");
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const navigate = useNavigate();
  const refresh = useRefresh();
  const create = useMutation({
    mutationFn: () => data(api.POST("/api/v1/admin/roles", { body: { name, permissions: [...chosen] } })),
    onSuccess: async (made) => {
      await refresh();
      tell(t("roles.created", { name: made.name }));
      await navigate({ to: `/people/roles/${made.name}` as string, replace: true });
    },
  });
  const { issues, at } = useFaults(create.error, { name });
  const submit = (e: FormEvent) => {
    e.preventDefault();
    create.mutate();
  };
  return (
    <form className="section" onSubmit={submit} noValidate>
      <div className="form">
        <TextInput
          label={t("roles.name")}
          description={t("roles.nameHow")}
          value={name}
          maxLength={32}
          autoComplete="off"
          spellCheck={false}
          error={at("name")}
          onChange={(e) => setName(e.currentTarget.value.toUpperCase().replace(/[\s-]+/g, "_"))}
        />
        <Select
          label={t("roles.from")}
          placeholder={t("roles.nothing")}
          clearable
          data={roles
            .filter((role) => !exceeds(role))
            .map((role) => ({ value: role.name, label: roleName(role.name) }))}
          onChange={(from) => setChosen(new Set(roles.find((role) => role.name === from)?.permissions))}
        />
      </div>
      <Rights all={[...new Set([...catalog, ...chosen])]} chosen={chosen} onChange={setChosen} />
      <OnePlugin onAdd={(one) => setChosen(new Set([...chosen, one]))} />
      {create.isError && issues.length === 0 && <ErrorNote error={create.error} />}
      <div className="row">
        <Button type="submit" variant="filled" loading={create.isPending} disabled={chosen.size === 0}>
          {t("roles.create")}
        </Button>
        {chosen.size === 0 && <span className="soft">{t("roles.none")}</span>}
      </div>
    </form>
  );
};
