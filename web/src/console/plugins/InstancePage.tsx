// One instance: how it is doing and why, its log, its config, what it may.
import "../extensions/extensions.css";
import { ActionIcon, Button, Menu } from "@mantine/core";
import { IconDots } from "../kit/icons";
import { Link, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { readManifest } from "../extensions/manifest";
import { CopyText } from "../kit/CopyText";
import { ErrorPage, isUnread } from "../kit/ErrorNote";
import { Page, Summary } from "../kit/Page";
import { Pending } from "../kit/Pending";
import { State, Time } from "../kit/values";
import { useView, Views } from "../kit/Views";
import { Locked, May, may, type Permission } from "../kit/may";
import { t } from "../text";
import { DeleteConfirm, DisableConfirm, RestartConfirm } from "./actions";
import { Cause } from "./Cause";
import { InstanceConfig } from "./InstanceConfig";
import { useInstance, usePlugin, type Instance, type Package } from "./data";
import { Deliveries } from "./Deliveries";
import { InstanceTimeline } from "./InstanceTimeline";
import { Lacking } from "./Lacking";
import { InstancePermissions } from "./InstancePermissions";
import { Logs } from "./Logs";
import { isLapsed, stateOf } from "./state";
import { Traffic } from "./Traffic";

export const InstancePage = () => {
  const { slug, installationId } = useParams({ strict: false }) as { slug: string; installationId: string };
  const plugin = usePlugin(slug);
  const instance = useInstance(slug, installationId);
  if (isUnread(plugin)) return <ErrorPage error={plugin.error} />;
  if (isUnread(instance)) return <ErrorPage error={instance.error} />;
  if (!plugin.data || !instance.data) return <Pending />;
  return <Found plugin={plugin.data} instance={instance.data.value} etag={instance.data.etag} />;
};

const all = ["config", "log", "traffic", "permissions", "deliveries", "history"] as const;
// What a view takes besides the plugin itself.
const needs: Partial<Record<(typeof all)[number], Permission>> = {
  log: "extensions:logs",
  traffic: "overview:read",
  deliveries: "deliveries:read",
  history: "audit:read",
};

interface FoundProps {
  plugin: Package;
  instance: Instance;
  etag: string;
}

const Found = ({ plugin, instance, etag }: FoundProps) => {
  const views = all.filter((id) => {
    const needed = needs[id];
    return needed === undefined || may(needed);
  });
  const view = useView(views);
  const { slug } = plugin;
  const state = stateOf(instance, plugin.manifestJson, isLapsed(plugin));
  return (
    <Page
      title={instance.instanceKey}
      above={[
        { title: t("plugins.title"), to: "/plugins" },
        { title: plugin.name, to: `/plugins/${slug}` },
      ]}
      badge={<State tone={state.tone}>{state.word}</State>}
      actions={<Actions plugin={plugin} instance={instance} />}>
      <Cause plugin={plugin} instance={instance} here />
      <Lacking instance={instance} manifestJson={plugin.manifestJson} here={view === "config"} />
      <Summary
        facts={[
          [
            t("plugins.column.state"),
            instance.enabled ? t(`plugins.state.${instance.runtime.state}`) : t("plugins.state.disabled"),
          ],
          [t("plugins.cause.since"), <Time key="since" at={instance.runtime.since} />],
          [t("plugins.column.version"), plugin.version],
          [
            t("plugins.fact.installation"),
            <CopyText key="id" value={instance.installationId} what={t("plugins.fact.installation")} />,
          ],
          [t("plugins.column.changed"), <Time key="changed" at={instance.updatedAt} />],
        ]}
      />
      <Views label={instance.instanceKey} views={views.map((id) => ({ id, title: t(`plugins.views.${id}`) }))} />
      {view === "config" && (
        <Locked needs="extensions:configure">
          <InstanceConfig plugin={plugin} instance={instance} etag={etag} />
        </Locked>
      )}
      {view === "traffic" && <Traffic slug={slug} installationId={instance.installationId} />}
      {view === "log" && (
        <Logs slug={slug} installationId={instance.installationId} external={plugin.runtimeType === "external-http"} />
      )}
      {view === "permissions" && (
        <Locked needs="extensions:configure">
          <InstancePermissions plugin={plugin} instance={instance} etag={etag} />
        </Locked>
      )}
      {view === "history" && <InstanceTimeline instance={instance} />}
      {view === "deliveries" && <Deliveries slug={slug} installationId={instance.installationId} />}
    </Page>
  );
};

const Actions = ({ plugin, instance }: { plugin: Package; instance: Instance }) => {
  const [ask, setAsk] = useState<"restart" | "disable" | "delete" | null>(null);
  const close = () => setAsk(null);
  const { adminUi, adminLabel } = readManifest(plugin.manifestJson);
  const with_ = { instance, name: plugin.name, onClose: close };
  return (
    <>
      {adminUi && instance.enabled && may(`extensions:use:${plugin.slug}`) && (
        <Button component={Link} to={`/plugins/${plugin.slug}/${instance.installationId}/admin`}>
          {adminLabel ?? t("plugins.adminUi.open")}
        </Button>
      )}
      <May needs="extensions:configure">
        <Button {...(instance.enabled ? {} : { variant: "filled" })} onClick={() => setAsk("restart")}>
          {t(instance.enabled ? "plugins.restart.button" : "plugins.enable.button")}
        </Button>
        {(instance.enabled || instance.instanceKey !== "default") && (
          <Menu>
            <Menu.Target>
              <ActionIcon variant="default" aria-label={t("plugins.more")}>
                <IconDots size={18} stroke={1.5} />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              {instance.enabled && <Menu.Item onClick={() => setAsk("disable")}>{t("plugins.disable.menu")}</Menu.Item>}
              {instance.instanceKey !== "default" && (
                <Menu.Item color="red" onClick={() => setAsk("delete")}>
                  {t("plugins.delete.menu")}
                </Menu.Item>
              )}
            </Menu.Dropdown>
          </Menu>
        )}
      </May>
      <RestartConfirm open={ask === "restart"} {...with_} manifestJson={plugin.manifestJson} />
      <DisableConfirm open={ask === "disable"} {...with_} />
      <DeleteConfirm open={ask === "delete"} {...with_} />
    </>
  );
};
