// What administrators do for somebody who wants a copy of their data, or to be gone.
import { TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate } from "@tanstack/react-router";
import { api, data, ok, type Schemas } from "../../api/client";
import { Problem } from "../../api/problem";
import { Confirm } from "../kit/Confirm";
import { save } from "../kit/save";
import { t } from "../text";

type User = Schemas["ManagedUser"];

const pause = () => new Promise((done) => setTimeout(done, 2000));

// The copy is made in the background, and there is no archive before it is ready.
const archiveOf = async (id: string, exportId: string) => {
  for (let tries = 0; ; tries++) {
    try {
      return (await ok(
        api.GET("/api/v1/admin/users/{id}/export/{exportId}/archive", {
          params: { path: { id, exportId } },
          parseAs: "blob",
        }),
      )) as unknown as Blob;
    } catch (error) {
      if (tries === 60 || !(error instanceof Problem) || error.status !== 404) throw error;
      await pause();
    }
  }
};

interface LeavingProps {
  what: "copy" | "erase" | null;
  user: User;
  onClose: () => void;
}

export const Leaving = ({ what, user, onClose }: LeavingProps) => {
  const [typed, setTyped] = useState("");
  const cache = useQueryClient();
  const navigate = useNavigate();
  const path = { id: user.id };
  const name = { name: user.email };
  return (
    <>
      <Confirm
        open={what === "copy"}
        onClose={onClose}
        title={t("people.copy.title", name)}
        danger={false}
        action={t("people.copy.action")}
        effects={[t("people.copy.first"), t("people.copy.second")]}
        run={async () => {
          const begun = await data(api.POST("/api/v1/admin/users/{id}/export", { params: { path } }));
          save(await archiveOf(user.id, begun.id), "account.zip");
        }}
        done={t("people.copy.done", name)}
      />
      <Confirm
        open={what === "erase"}
        onClose={onClose}
        title={t("people.erase.title", name)}
        action={t("people.erase.action")}
        effects={[t("people.erase.first"), t("people.erase.second"), t("people.erase.third")]}
        run={async () => {
          await ok(api.POST("/api/v1/admin/users/{id}/erase", { params: { path }, body: { username: typed } }));
          void cache.invalidateQueries({ queryKey: ["users"] });
          void navigate({ to: "/people" });
        }}
        done={t("people.erase.done", name)}>
        <TextInput
          label={t("people.erase.name", { name: user.username })}
          value={typed}
          onChange={(e) => setTyped(e.currentTarget.value)}
          autoComplete="off"
        />
      </Confirm>
    </>
  );
};
