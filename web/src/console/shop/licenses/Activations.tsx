// The instances that use a license. Freeing one gives its seat back.
import { Button } from "@mantine/core";
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, data, ok, type Schemas } from "../../../api/client";
import { Confirm } from "../../kit/Confirm";
import { CopyText } from "../../kit/CopyText";
import { ErrorNote } from "../../kit/ErrorNote";
import { Foot } from "../../kit/Foot";
import { Bar } from "../../kit/Pending";
import { Time } from "../../kit/values";
import { May } from "../../kit/may";
import { t } from "../../text";
import type { License } from "../types";

type Activation = Schemas["Activation"];

export const Activations = ({ license }: { license: License }) => {
  const [page, setPage] = useState(1);
  const [freeing, setFreeing] = useState<Activation | null>(null);
  const list = useQuery({
    queryKey: ["licenses", license.id, "activations", page],
    queryFn: () =>
      data(
        api.GET("/api/v1/admin/licenses/{id}/activations", { params: { path: { id: license.id }, query: { page } } }),
      ),
    placeholderData: keepPreviousData,
  });
  if (list.isError) return <ErrorNote error={list.error} retry={() => void list.refetch()} />;
  if (!list.data) return <Bar height={40} />;
  const { items, pagination } = list.data;
  if (pagination.total === 0) return <p className="soft flat">{t("shop.licenses.activations.none")}</p>;
  return (
    <>
      <div className="table-box">
        <table className="table activations" data-stack aria-label={t("shop.licenses.activations.title")}>
          <thead>
            <tr>
              <th scope="col">{t("shop.licenses.activations.instance")}</th>
              <th scope="col">{t("shop.licenses.activations.seat")}</th>
              <th scope="col">{t("shop.licenses.activations.since")}</th>
              <th scope="col" className="end">
                <span className="sr">{t("shop.licenses.activations.free")}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {items.map((a) => (
              <tr key={a.instanceId}>
                <td className="clip">
                  <CopyText value={a.instanceId} what={t("shop.licenses.activations.instance")} />{" "}
                  <span className="narrow soft small">
                    <Time at={a.activatedAt} />
                  </span>
                </td>
                <td>{t(a.development ? "shop.licenses.activations.noSeat" : "shop.licenses.activations.oneSeat")}</td>
                <td>
                  <Time at={a.activatedAt} />
                </td>
                <td className="end">
                  <May needs="licenses:seats">
                    <Button
                      size="xs"
                      aria-label={t(
                        a.development ? "shop.licenses.activations.removeOne" : "shop.licenses.activations.freeOne",
                        {
                          instance: a.instanceId,
                        },
                      )}
                      onClick={() => setFreeing(a)}>
                      {t(a.development ? "shop.licenses.activations.remove" : "shop.licenses.activations.free")}
                    </Button>
                  </May>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {pagination.totalPages > 1 && <Foot pagination={pagination} onPage={setPage} />}
      {freeing && <Free license={license} activation={freeing} onClose={() => setFreeing(null)} />}
    </>
  );
};

const Free = ({ license, activation, onClose }: { license: License; activation: Activation; onClose: () => void }) => {
  const cache = useQueryClient();
  const { instanceId, development } = activation;
  const run = async () => {
    await ok(
      api.DELETE("/api/v1/admin/licenses/{id}/activations/{instanceId}", {
        params: { path: { id: license.id, instanceId } },
      }),
    );
    void Promise.all(["licenses", "audit"].map((key) => cache.invalidateQueries({ queryKey: [key] })));
  };
  return (
    <Confirm
      open
      onClose={onClose}
      title={t("shop.licenses.activations.freeTitle", { instance: instanceId })}
      effects={[
        t("shop.licenses.activations.stops", { instance: instanceId }),
        development
          ? t("shop.licenses.activations.tookNone")
          : t("shop.licenses.activations.then", { used: license.currentInstances - 1, all: license.maxInstances }),
        t("shop.licenses.activations.again"),
      ]}
      action={t(development ? "shop.licenses.activations.remove" : "shop.licenses.activations.free")}
      run={run}
      done={t("shop.licenses.activations.done", { instance: instanceId })}
    />
  );
};
