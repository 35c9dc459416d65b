import { Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Schemas } from "../../api/client";
import { Confirm } from "../kit/Confirm";
import { ErrorNote } from "../kit/ErrorNote";
import { roleName } from "../kit/may";
import { t } from "../text";
import { RightsList } from "./Rights";
import { exceeds, rolesQuery } from "./roles";

interface ChangeRoleProps {
  user: Schemas["ManagedUser"];
  change: (role: string) => Promise<unknown>;
  onClose: () => void;
}

// ChangeRole gives a person another role, or none, and says before what they may do then.
export const ChangeRole = ({ user, change, onClose }: ChangeRoleProps) => {
  const roles = useQuery(rolesQuery);
  const [chosen, setChosen] = useState<string | null>(null);
  const name = { name: user.email };
  const role = roles.data?.find((one) => one.name === chosen);
  const takes = chosen === "USER";
  const choices = [
    ...(user.role === "USER" ? [] : [{ value: "USER", label: t("people.change.noStaff") }]),
    ...(roles.data ?? [])
      .filter((one) => one.name !== user.role)
      .map((one) => ({
        value: one.name,
        label: exceeds(one) ? t("people.change.lacks", { role: roleName(one.name) }) : roleName(one.name),
        disabled: exceeds(one),
      })),
  ];
  return (
    <Confirm
      open
      onClose={onClose}
      title={t("people.change.title", name)}
      danger={takes}
      {...(chosen === null ? { disabled: true } : {})}
      action={
        takes
          ? t("people.change.take")
          : role
            ? t("people.change.give", { role: roleName(role.name) })
            : t("people.change.action")
      }
      effects={
        takes
          ? [t("people.change.leaves"), t("people.change.stay")]
          : role?.name === "ADMIN"
            ? [t("people.change.all"), t("people.change.holds")]
            : [t("people.change.holds")]
      }
      run={() => change(chosen ?? user.role)}
      done={t("people.change.now", { ...name, role: roleName(chosen ?? user.role) })}>
      {roles.isError && <ErrorNote error={roles.error} retry={() => void roles.refetch()} />}
      <Select
        label={t("people.change.role")}
        placeholder={roleName(user.role)}
        data={choices}
        value={chosen}
        onChange={setChosen}
      />
      {role && role.name !== "ADMIN" && (
        <div>
          <p className="flat">{t("people.change.may")}</p>
          <RightsList names={role.permissions} />
        </div>
      )}
    </Confirm>
  );
};
