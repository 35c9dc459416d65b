// The dialogs about invitations: who shall help with what, once more, or not after all.
import { Select, TextInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, data, ok, type Schemas } from "../../api/client";
import { Confirm } from "../kit/Confirm";
import { ErrorNote } from "../kit/ErrorNote";
import { roleName } from "../kit/may";
import { t } from "../text";
import { RightsList } from "./Rights";
import { exceeds, rolesQuery } from "./roles";

type Invitation = Schemas["Invitation"];

const useInvite = () => {
  const cache = useQueryClient();
  const changed = () =>
    void Promise.all(["invitations", "audit"].map((key) => cache.invalidateQueries({ queryKey: [key] })));
  return {
    invite: async (email: string, role: string) => {
      await data(api.POST("/api/v1/admin/invitations", { body: { email, role } }));
      changed();
    },
    revoke: async (id: string) => {
      await ok(api.DELETE("/api/v1/admin/invitations/{id}", { params: { path: { id } } }));
      changed();
    },
  };
};

// InviteSomebody asks for an address and a role, and says before what the role allows.
export const InviteSomebody = ({ onClose }: { onClose: () => void }) => {
  const roles = useQuery(rolesQuery);
  const { invite } = useInvite();
  const [email, setEmail] = useState("");
  const [chosen, setChosen] = useState<string | null>(null);
  const role = roles.data?.find((one) => one.name === chosen);
  const address = email.trim();
  return (
    <Confirm
      open
      onClose={onClose}
      title={t("invitations.new")}
      danger={false}
      disabled={address === "" || chosen === null}
      action={t("invitations.send")}
      effects={[t("invitations.first"), t("invitations.second")]}
      run={() => invite(address, chosen ?? "")}
      done={t("invitations.sent", { email: address })}>
      {roles.isError && <ErrorNote error={roles.error} retry={() => void roles.refetch()} />}
      <TextInput
        label={t("invitations.email")}
        type="email"
        autoComplete="off"
        value={email}
        onChange={(e) => setEmail(e.currentTarget.value)}
      />
      <Select
        label={t("people.role")}
        placeholder={t("invitations.choose")}
        data={(roles.data ?? []).map((one) => ({
          value: one.name,
          label: exceeds(one) ? t("people.change.lacks", { role: roleName(one.name) }) : roleName(one.name),
          disabled: exceeds(one),
        }))}
        value={chosen}
        onChange={setChosen}
      />
      {role?.name === "ADMIN" && <p className="flat">{t("people.change.all")}</p>}
      {role && role.name !== "ADMIN" && (
        <div>
          <p className="flat">{t("people.change.may")}</p>
          <RightsList names={role.permissions} />
        </div>
      )}
    </Confirm>
  );
};

interface OneProps {
  invitation: Invitation;
  onClose: () => void;
}

export const InviteAgain = ({ invitation: { email, role }, onClose }: OneProps) => {
  const { invite } = useInvite();
  return (
    <Confirm
      open
      onClose={onClose}
      title={t("invitations.againTitle", { email })}
      danger={false}
      action={t("invitations.again")}
      effects={[t("invitations.againFirst", { role: roleName(role) }), t("invitations.againSecond")]}
      run={() => invite(email, role)}
      done={t("invitations.sent", { email })}
    />
  );
};

export const Revoke = ({ invitation: { id, email }, onClose }: OneProps) => {
  const { revoke } = useInvite();
  return (
    <Confirm
      open
      onClose={onClose}
      title={t("invitations.revokeFor", { email })}
      action={t("invitations.revoke")}
      effects={[t("invitations.revokeFirst"), t("invitations.revokeSecond")]}
      run={() => revoke(id)}
      done={t("invitations.revoked", { email })}
    />
  );
};
