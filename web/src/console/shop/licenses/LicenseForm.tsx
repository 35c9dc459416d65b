// What a license allows: seats, term and features, for the rare case that support changes
// them by hand.
import { Button, Checkbox, Textarea, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { api, data } from "../../../api/client";
import { asProblem } from "../../../api/problem";
import { ErrorNote } from "../../kit/ErrorNote";
import { NumberField } from "../../kit/NumberField";
import { sent, type Typed } from "../../../text/number";
import { tell } from "../../kit/toast";
import { useBase, useTyped } from "../../kit/useBase";
import { t } from "../../text";
import type { License } from "../types";

const dayOf = (at: string | undefined): string => at?.slice(0, 10) ?? "";

interface Base {
  license: License;
  etag: string;
}

export const LicenseForm = (latest: Base) => {
  const { base, setTyped, settle } = useBase(latest);
  return <Form key={base.etag} {...base} onTyped={setTyped} settle={settle} />;
};

const Form = ({ license, etag, onTyped, settle }: Base & { onTyped: (typed: boolean) => void; settle: () => void }) => {
  const cache = useQueryClient();
  const [seats, setSeats] = useState<Typed>(license.maxInstances);
  const [forever, setForever] = useState(!license.expiresAt);
  const [until, setUntil] = useState(dayOf(license.expiresAt));
  const [features, setFeatures] = useState(license.features.join("\n"));
  const change = {
    ...(seats !== license.maxInstances ? { maxInstances: sent(seats) } : {}),
    ...(features !== license.features.join("\n")
      ? {
          features: features
            .split("\n")
            .map((line) => line.trim())
            .filter(Boolean),
        }
      : {}),
    ...termChange(license, forever, until),
  };
  useTyped(Object.keys(change).length > 0, onTyped);
  const again = () =>
    Promise.all(["licenses", "audit"].map((key) => cache.invalidateQueries({ queryKey: [key] }))).then(settle);
  const save = useMutation({
    mutationFn: () =>
      data(
        api.PATCH("/api/v1/admin/licenses/{id}", {
          params: { path: { id: license.id }, header: { "If-Match": etag } },
          body: change,
        }),
      ),
    onSuccess: async () => {
      tell(t("shop.licenses.terms.saved"));
      await again();
    },
  });
  if (license.status === "revoked") return <p className="soft flat">{t("shop.licenses.terms.revoked")}</p>;
  const stale = save.isError && asProblem(save.error).status === 412;
  const submit = (e: FormEvent) => {
    e.preventDefault();
    save.mutate();
  };
  return (
    <form className="form" onSubmit={submit}>
      <NumberField label={t("shop.licenses.terms.seats")} value={seats} onChange={setSeats} w={160} />
      <div className="row" style={{ alignItems: "flex-end" }}>
        <TextInput
          type="date"
          label={t("shop.licenses.terms.until")}
          disabled={forever}
          value={forever ? "" : until}
          onChange={(e) => setUntil(e.currentTarget.value)}
          w={160}
        />
        <Checkbox
          label={t("shop.licenses.terms.forever")}
          checked={forever}
          onChange={(e) => setForever(e.currentTarget.checked)}
          style={{ paddingBottom: 8 }}
        />
      </div>
      <Textarea
        label={t("shop.licenses.terms.features")}
        description={t("shop.oneALine")}
        autosize
        minRows={2}
        maxRows={12}
        value={features}
        onChange={(e) => setFeatures(e.currentTarget.value)}
      />
      {save.isError && <ErrorNote error={save.error} {...(stale ? { retry: () => void again() } : {})} />}
      <div>
        <Button type="submit" loading={save.isPending} disabled={Object.keys(change).length === 0}>
          {t("shop.licenses.terms.save")}
        </Button>
      </div>
    </form>
  );
};

// termChange is the change of the term: its last day counts whole, in UTC.
const termChange = (license: License, forever: boolean, until: string): { expiresAt?: string | null } => {
  if (forever) return license.expiresAt ? { expiresAt: null } : {};
  return until === "" || until === dayOf(license.expiresAt) ? {} : { expiresAt: `${until}T23:59:59Z` };
};
