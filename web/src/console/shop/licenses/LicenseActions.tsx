import { Button, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, data } from "../../../api/client";
import { formatDay } from "../../../text/format";
import { Confirm } from "../../kit/Confirm";
import { NumberField } from "../../kit/NumberField";
import { sent, type Typed } from "../../../text/number";
import { May, may } from "../../kit/may";
import { t } from "../../text";
import type { License } from "../types";

interface Props {
  license: License;
  etag: string;
}

// LicenseActions renew and revoke a license. Revoked is final, so there is nothing to do
// then.
export const LicenseActions = ({ license, etag }: Props) => {
  const [open, setOpen] = useState<"renew" | "revoke" | null>(null);
  if (license.status === "revoked") return null;
  const close = () => setOpen(null);
  return (
    <>
      {license.periodMonths && license.expiresAt && may("licenses:grant") && (
        <Button onClick={() => setOpen("renew")}>{t("shop.licenses.renew.open")}</Button>
      )}
      <May needs="licenses:revoke">
        <Button onClick={() => setOpen("revoke")}>{t("shop.licenses.revoke.action")}</Button>
      </May>
      {open === "renew" && <Renew license={license} etag={etag} onClose={close} />}
      {open === "revoke" && <Revoke license={license} etag={etag} onClose={close} />}
    </>
  );
};

const useRefresh = () => {
  const cache = useQueryClient();
  return () => Promise.all(["licenses", "orders", "audit"].map((key) => cache.invalidateQueries({ queryKey: [key] })));
};

const Revoke = ({ license, etag, onClose }: Props & { onClose: () => void }) => {
  const refresh = useRefresh();
  const run = async () => {
    await data(
      api.POST("/api/v1/admin/licenses/{id}/revoke", {
        params: { path: { id: license.id }, header: { "If-Match": etag } },
      }),
    );
    void refresh();
  };
  return (
    <Confirm
      open
      onClose={onClose}
      title={t("shop.licenses.revoke.title")}
      action={t("shop.licenses.revoke.action")}
      effects={[
        t("shop.licenses.revoke.final"),
        ...(license.currentInstances > 0 ? [t.count("shop.licenses.revoke.instances", license.currentInstances)] : []),
        t("shop.licenses.revoke.money"),
      ]}
      run={run}
      done={t("shop.licenses.revoke.done")}
    />
  );
};

const Renew = ({ license, etag, onClose }: Props & { onClose: () => void }) => {
  const refresh = useRefresh();
  const [periods, setPeriods] = useState<Typed>(1);
  const [reference, setReference] = useState("");
  const n = typeof periods === "number" ? periods : 1;
  const run = async () => {
    await data(
      api.POST("/api/v1/admin/licenses/{id}/renew", {
        params: { path: { id: license.id }, header: { "If-Match": etag } },
        body: { periods: sent(periods) as number, ...(reference ? { reference } : {}) },
      }),
    );
    void refresh();
  };
  const until = formatDay(renewedUntil(license, n));
  return (
    <Confirm
      open
      onClose={onClose}
      title={t("shop.licenses.renew.title")}
      danger={false}
      action={t("shop.licenses.renew.action", { day: until })}
      effects={[
        license.status === "expired"
          ? t("shop.licenses.renew.again", { day: until })
          : t("shop.licenses.renew.longer", { day: until, before: formatDay(license.expiresAt ?? until) }),
        t("shop.licenses.renew.money"),
      ]}
      run={run}
      done={t("shop.licenses.renew.done", { day: until })}>
      <NumberField
        label={t.count("shop.licenses.renew.periods", license.periodMonths ?? 1)}
        value={periods}
        onChange={setPeriods}
      />
      <TextInput
        label={t("shop.licenses.renew.reference")}
        description={t("shop.licenses.renew.referenceHow")}
        value={reference}
        maxLength={200}
        onChange={(e) => setReference(e.currentTarget.value)}
      />
    </Confirm>
  );
};

// renewedUntil is the end of the term after a renewal: periods follow the end of the
// term, or begin now if it has ended. The server counts from the start of the term, so
// that after a short month its end may be up to three days later than this.
const renewedUntil = ({ expiresAt, status, periodMonths = 1 }: License, periods: number): string => {
  const from = new Date(status === "expired" || !expiresAt ? Date.now() : expiresAt);
  const end = new Date(from);
  end.setUTCDate(1);
  end.setUTCMonth(end.getUTCMonth() + periodMonths * periods);
  const lastDay = new Date(Date.UTC(end.getUTCFullYear(), end.getUTCMonth() + 1, 0)).getUTCDate();
  end.setUTCDate(Math.min(from.getUTCDate(), lastDay));
  return end.toISOString();
};
