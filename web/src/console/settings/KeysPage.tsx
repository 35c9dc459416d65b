import { Button } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, data } from "../../api/client";
import { Confirm } from "../kit/Confirm";
import { CopyText } from "../kit/CopyText";
import { ErrorNote } from "../kit/ErrorNote";
import { Page, Section } from "../kit/Page";
import { Pending } from "../kit/Pending";
import { State, Time, type Tone } from "../kit/values";
import { May } from "../kit/may";
import { t } from "../text";
import { SettingsNav } from "./SettingsNav";
import { useSystem, type System } from "./system";

type Ring = System["keys"][number];
type Stage = Ring["keys"][number]["stage"];

const tones: Record<Stage, Tone> = { next: "none", current: "good", previous: "none" };

export const KeysPage = () => {
  const query = useSystem();
  return (
    <Page title={t("settings.title")}>
      <SettingsNav />
      {query.isPending && <Pending rows={6} />}
      {query.isError && <ErrorNote error={query.error} retry={() => void query.refetch()} />}
      {query.data?.keys.map((ring) => (
        <Keys key={ring.purpose} ring={ring} />
      ))}
      {query.data && (
        <p className="soft prose" style={{ margin: 0 }}>
          {t(`settings.keys.master_${query.data.masterKey.source}`)}
        </p>
      )}
    </Page>
  );
};

const Keys = ({ ring }: { ring: Ring }) => {
  const [asking, setAsking] = useState(false);
  const queries = useQueryClient();
  const rotate = async () => {
    await data(api.POST("/api/v1/admin/keys/rotate", { body: { purpose: ring.purpose } }));
    await queries.invalidateQueries({ queryKey: ["system"] });
  };
  const title = t(`settings.keys.${ring.purpose}`);
  return (
    <Section
      title={title}
      actions={
        <May needs="keys:rotate">
          <Button onClick={() => setAsking(true)}>{t("settings.keys.rotate")}</Button>
        </May>
      }>
      <p className="soft prose" style={{ margin: 0 }}>
        {t(`settings.keys.${ring.purpose}About`)}
      </p>
      <div className="table-box">
        <table className="table" data-stack aria-label={title}>
          <thead>
            <tr>
              {(["id", "stage", "since", "until"] as const).map((name) => (
                <th key={name} scope="col">
                  {t(`settings.keys.${name}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {ring.keys.map((k) => (
              <tr key={k.kid}>
                <td>
                  <CopyText value={k.kid} what={t("settings.keys.id")} />
                </td>
                <td>
                  <State tone={tones[k.stage]}>{t(`settings.keys.${k.stage}`)}</State>
                </td>
                <td data-name={t("settings.keys.since")}>
                  <Time at={k.since} />
                </td>
                <td data-name={k.stage === "next" ? undefined : t("settings.keys.until")}>
                  {k.stage === "next" && k.until && t("settings.keys.earliest")} <Time at={k.until} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        title={t("settings.keys.rotateOf", { purpose: title })}
        danger={false}
        effects={[t("settings.keys.effect1"), t("settings.keys.effect2"), t("settings.keys.effect3")]}
        action={t("settings.keys.rotate")}
        done={t("settings.keys.rotated")}
        run={rotate}
      />
    </Section>
  );
};
