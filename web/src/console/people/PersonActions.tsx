import { ActionIcon, Button, Menu } from "@mantine/core";
import { IconDots } from "../kit/icons";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, data, ok, type Schemas } from "../../api/client";
import { Confirm } from "../kit/Confirm";
import { May, may } from "../kit/may";
import { useSession } from "../../api/useSession";
import { t } from "../text";
import { Leaving } from "./Leaving";
import { ChangeRole } from "./ChangeRole";
import { exceeds, rolesQuery } from "./roles";
import { SeeAs } from "./SeeAs";

type User = Schemas["ManagedUser"];
type Action = "role" | "block" | "factor" | "password" | "revert" | "see" | "copy" | "erase";
type Change = { active?: boolean; role?: string };

// needs are the actions of the menu and what they take.
const needs = {
  password: "users:security",
  revert: "users:security",
  factor: "users:security",
  copy: "users:export",
  block: "users:write",
  erase: "users:erase",
} as const;

// PersonActions change what a person may do. Each says what it takes or gives first. What is done most stands in the
// open, the rest in a menu.
export const PersonActions = ({ user }: { user: User }) => {
  const [open, setOpen] = useState<Action | null>(null);
  const own = useSession()?.user.id === user.id;
  const cache = useQueryClient();
  const close = () => setOpen(null);
  const change = async (body: Change) => {
    await data(api.PATCH("/api/v1/admin/users/{id}", { params: { path: { id: user.id } }, body }));
    void Promise.all(["users", "roles", "audit"].map((key) => cache.invalidateQueries({ queryKey: [key] })));
  };
  const above = useAbove(user);
  if (above) return null;
  const block = user.active ? "block" : "unblock";
  const name = { name: user.email };
  const self = own ? [t("people.self")] : [];
  const rest = (Object.keys(needs) as (keyof typeof needs)[]).filter(
    (action) => may(needs[action]) && !(action === "block" && user.deletionAt),
  );
  return (
    <>
      {user.role === "USER" && user.active && !own && (
        <May needs="users:impersonate">
          <Button onClick={() => setOpen("see")}>{t("people.seeAs.action", { name: user.username })}</Button>
        </May>
      )}
      {!own && may("staff:write") && may("staff:read") && (
        <Button onClick={() => setOpen("role")}>{t("people.change.action")}</Button>
      )}
      {rest.length > 0 && (
        <Menu>
          <Menu.Target>
            <ActionIcon variant="default" aria-label={t("people.more")}>
              <IconDots size={18} stroke={1.5} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            {rest.map((action) => (
              <Menu.Item key={action} {...(action === "erase" ? { color: "red" } : {})} onClick={() => setOpen(action)}>
                {t(`people.${action === "block" ? block : action}.action`)}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
      <Leaving what={open === "copy" || open === "erase" ? open : null} user={user} onClose={close} />
      {open === "see" && <SeeAs user={user} onClose={close} />}
      <Confirm
        open={open === "factor"}
        onClose={close}
        title={t("people.factor.title", name)}
        danger
        action={t("people.factor.action")}
        effects={[t("people.factor.first"), t("people.factor.second"), t("people.factor.third")]}
        run={async () => {
          await ok(api.POST("/api/v1/admin/users/{id}/second-factor/reset", { params: { path: { id: user.id } } }));
          void cache.invalidateQueries({ queryKey: ["audit"] });
        }}
        done={t("people.factor.done", name)}
      />
      <Confirm
        open={open === "password"}
        onClose={close}
        title={t("people.password.title", name)}
        action={t("people.password.action")}
        effects={[t("people.password.first"), t("people.password.second")]}
        run={async () => {
          await ok(api.POST("/api/v1/admin/users/{id}/password-reset", { params: { path: { id: user.id } } }));
          void cache.invalidateQueries({ queryKey: ["audit"] });
        }}
        done={t("people.password.done", name)}
      />
      <Confirm
        open={open === "revert"}
        onClose={close}
        title={t("people.revert.title", name)}
        danger
        action={t("people.revert.action")}
        effects={[t("people.revert.first"), t("people.revert.second")]}
        run={async () => {
          await ok(api.POST("/api/v1/admin/users/{id}/email/revert", { params: { path: { id: user.id } } }));
          void Promise.all(["users", "audit"].map((key) => cache.invalidateQueries({ queryKey: [key] })));
        }}
        done={t("people.revert.done", name)}
      />
      {open === "role" && <ChangeRole user={user} change={(role) => change({ role })} onClose={close} />}
      <Confirm
        open={open === "block"}
        onClose={close}
        title={t(`people.${block}.title`, name)}
        danger={user.active}
        action={t(`people.${block}.action`)}
        effects={[t(`people.${block}.first`), t(`people.${block}.second`), ...(user.active ? self : [])]}
        run={() => change({ active: !user.active })}
        done={t(`people.${block}.done`, name)}
      />
    </>
  );
};

// useAbove says whether a person has a role that may do what the user may not: nobody acts on somebody
// above them. Without the list of roles only administrators are known to be above.
const useAbove = (user: User): boolean => {
  const roles = useQuery({ ...rolesQuery, enabled: user.role !== "USER" && may("staff:read") });
  const mine = useSession()?.user.role;
  if (user.role === "USER" || mine === "ADMIN" || mine === user.role) return false;
  const role = roles.data?.find(({ name }) => name === user.role);
  return role ? exceeds(role) : user.role === "ADMIN";
};
