// The dialog that opens a tab in which the shop looks as it does to a customer.
import { Checkbox, Textarea } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, data, type Schemas } from "../../api/client";
import { inOwnWords, Problem } from "../../api/problem";
import { openAs } from "../../api/standIn";
import { useSession } from "../../api/useSession";
import { Confirm } from "../kit/Confirm";
import { May } from "../kit/may";
import { t } from "../text";

type User = Schemas["ManagedUser"];

export const SeeAs = ({ user, onClose }: { user: User; onClose: () => void }) => {
  const [reason, setReason] = useState("");
  const [write, setWrite] = useState(false);
  const staff = useSession()?.user.username ?? "";
  const cache = useQueryClient();
  const name = { name: user.username };
  const run = async () => {
    const begun = await data(
      api.POST("/api/v1/admin/users/{id}/impersonate", {
        params: { path: { id: user.id } },
        body: { reason, write },
      }),
    );
    const opened = openAs({ token: begun.access_token, endsAt: begun.session.endsAt, write, staff, user }, "/account");
    void Promise.all(["impersonations", "users", "audit"].map((key) => cache.invalidateQueries({ queryKey: [key] })));
    if (opened) return;
    await api.DELETE("/api/v1/admin/impersonations/{id}", { params: { path: { id: begun.session.id } } });
    throw new Problem(409, inOwnWords, t("people.seeAs.blocked"), "");
  };
  return (
    <Confirm
      open
      onClose={onClose}
      danger={false}
      title={t("people.seeAs.title", name)}
      action={t("people.seeAs.action", name)}
      effects={[
        t("people.seeAs.first", name),
        ...(write ? [] : [t("people.seeAs.second")]),
        t("people.seeAs.third", name),
      ]}
      disabled={reason.trim().length < 10}
      run={run}
      done="">
      <Textarea
        label={t("people.seeAs.reason")}
        description={t("people.seeAs.reasonHow")}
        maxLength={500}
        rows={3}
        value={reason}
        onChange={(e) => setReason(e.currentTarget.value)}
      />
      <May needs="users:impersonate-write">
        <Checkbox
          label={t("people.seeAs.write", name)}
          description={t("people.seeAs.writeHow")}
          checked={write}
          onChange={(e) => setWrite(e.currentTarget.checked)}
        />
      </May>
    </Confirm>
  );
};
