import { Button } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, data, ok, type Schemas } from "../../api/client";
import { Confirm } from "../kit/Confirm";
import { useSession } from "../../api/useSession";
import { t } from "../text";
import { SeeAs } from "./SeeAs";

type User = Schemas["ManagedUser"];
type Change = { active?: boolean; role?: "USER" | "ADMIN" };

// PersonActions change what a person may do. Each says what it takes or gives first.
export const PersonActions = ({ user }: { user: User }) => {
  const [open, setOpen] = useState<"role" | "block" | "factor" | "password" | "revert" | "see" | null>(null);
  const own = useSession()?.user.id === user.id;
  const cache = useQueryClient();
  const close = () => setOpen(null);
  const change = async (body: Change) => {
    await data(api.PATCH("/api/v1/admin/users/{id}", { params: { path: { id: user.id } }, body }));
    void Promise.all(["users", "audit"].map((key) => cache.invalidateQueries({ queryKey: [key] })));
  };
  const admin = user.role === "ADMIN";
  const role = admin ? "demote" : "promote";
  const block = user.active ? "block" : "unblock";
  const name = { name: user.email };
  const self = own ? [t("people.self")] : [];
  return (
    <>
      {!admin && user.active && (
        <Button onClick={() => setOpen("see")}>{t("people.seeAs.action", { name: user.username })}</Button>
      )}
      <Button onClick={() => setOpen("role")}>{t(`people.${role}.action`)}</Button>
      <Button onClick={() => setOpen("block")}>{t(`people.${block}.action`)}</Button>
      <Button onClick={() => setOpen("password")}>{t("people.password.action")}</Button>
      <Button onClick={() => setOpen("revert")}>{t("people.revert.action")}</Button>
      <Button onClick={() => setOpen("factor")}>{t("people.factor.action")}</Button>
      <SeeAs user={user} open={open === "see"} onClose={close} />
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
      <Confirm
        open={open === "role"}
        onClose={close}
        title={t(`people.${role}.title`, name)}
        danger={admin}
        action={t(`people.${role}.action`)}
        effects={[t(`people.${role}.first`), t(`people.${role}.second`), ...(admin ? self : [])]}
        run={() => change({ role: admin ? "USER" : "ADMIN" })}
        done={t(`people.${role}.done`, name)}
      />
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
