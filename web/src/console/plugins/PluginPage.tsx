// One plugin: how it is doing, its instances, and what is set for the package.
import "../extensions/extensions.css";
import { ActionIcon, Button, Menu } from "@mantine/core";
import { IconDots } from "../kit/icons";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { asProblem } from "../../api/problem";
import { usePageDrop } from "../extensions/install/DropArea";
import { InstallDialog } from "../extensions/install/InstallDialog";
import { UpdateButton } from "../extensions/install/UpdateButton";
import { useUpdate, useUpdateWords } from "../extensions/install/useUpdates";
import { readManifest } from "../extensions/manifest";
import { CopyText } from "../kit/CopyText";
import { ErrorPage, isUnread } from "../kit/ErrorNote";
import { Page, Summary } from "../kit/Page";
import { Pending } from "../kit/Pending";
import { State, Time } from "../kit/values";
import { useView, Views } from "../kit/Views";
import { Locked, May, may } from "../kit/may";
import { LicenseSection } from "../markets/License";
import { t } from "../text";
import { RollbackConfirm, UninstallConfirm } from "./actions";
import { Cause } from "./Cause";
import { instancesQuery, usePlugin, type Package } from "./data";
import { Deliveries } from "./Deliveries";
import { Files } from "./Files";
import { Gone } from "./Gone";
import { Instances } from "./Instances";
import { PackagePermissions } from "./PackagePermissions";
import { Secret } from "./Secret";
import { Settings } from "./Settings";
import { Lacking } from "./Lacking";
import { isBroken, isLapsed, worst } from "./state";
import { Timeline } from "./Timeline";
import { Traffic } from "./Traffic";

export const PluginPage = () => {
  const { slug } = useParams({ strict: false }) as { slug: string };
  const plugin = usePlugin(slug);
  if (isUnread(plugin))
    return asProblem(plugin.error).status === 404 ? <Gone slug={slug} /> : <ErrorPage error={plugin.error} />;
  if (!plugin.data) return <Pending />;
  return <Found plugin={plugin.data} />;
};

const all = ["overview", "settings", "deliveries", "files"] as const;

const Found = ({ plugin }: { plugin: Package }) => {
  const { slug, name, manifestJson } = plugin;
  const [install, setInstall] = useState<{ file: File | null } | null>(null);
  const mayInstall = may("extensions:install");
  const over = usePageDrop((file) => mayInstall && setInstall({ file })) && mayInstall;
  const views = all.filter((id) => id !== "deliveries" || may("deliveries:read"));
  const view = useView(views);
  const list = useQuery(instancesQuery(slug));
  const instances = list.data?.items ?? [];
  const state = worst(instances, manifestJson, isLapsed(plugin));
  return (
    <Page
      title={name}
      above={[{ title: t("plugins.title"), to: "/plugins" }]}
      badge={state && <State tone={state.shown.tone}>{state.shown.word}</State>}
      actions={
        <Actions
          plugin={plugin}
          instances={list.data?.pagination.total ?? 0}
          onUpgrade={() => setInstall({ file: null })}
        />
      }>
      {instances
        .filter((instance) => isBroken(instance))
        .slice(0, 3)
        .map((instance) => (
          <Cause key={instance.installationId} plugin={plugin} instance={instance} here={false} />
        ))}
      {instances.slice(0, 3).map((instance) => (
        <Lacking key={instance.installationId} instance={instance} manifestJson={manifestJson} here={false} />
      ))}
      <Facts plugin={plugin} />
      <Views label={name} views={views.map((id) => ({ id, title: t(`plugins.views.${id}`) }))} />
      {view === "overview" && <Overview plugin={plugin} />}
      {view === "settings" && (
        <>
          <Locked needs="extensions:configure">
            <Settings plugin={plugin} />
          </Locked>
          <May needs="extensions:secrets">
            <Secret slug={slug} name={name} external={plugin.runtimeType === "external-http"} />
          </May>
        </>
      )}
      {view === "deliveries" && <Deliveries slug={slug} />}
      {view === "files" && <Files slug={slug} />}
      {over && install === null && (
        <div className="drop-veil" aria-hidden>
          {t("plugins.install.dropHere")}
        </div>
      )}
      {install && <InstallDialog dropped={install.file} kind="plugin" onClose={() => setInstall(null)} />}
    </Page>
  );
};

const Overview = ({ plugin }: { plugin: Package }) => (
  <>
    <LicenseSection kind="plugin" slug={plugin.slug} />
    <Instances plugin={plugin} />
    <May needs="overview:read">
      <Traffic slug={plugin.slug} />
    </May>
    <PackagePermissions plugin={plugin} />
    <May needs="audit:read">
      <Timeline slug={plugin.slug} />
    </May>
  </>
);

const Facts = ({ plugin }: { plugin: Package }) => {
  const update = useUpdate("plugin", plugin.slug);
  const words = useUpdateWords();
  const { events } = readManifest(plugin.manifestJson);
  const by =
    plugin.author &&
    (plugin.authorUrl && /^https?:\/\//.test(plugin.authorUrl) ? (
      <a href={plugin.authorUrl} target="_blank" rel="noopener noreferrer">
        {plugin.author}
      </a>
    ) : (
      plugin.author
    ));
  return (
    <>
      {plugin.description && (
        <p className="prose" style={{ margin: 0 }}>
          {plugin.description}
        </p>
      )}
      <Summary
        facts={[
          [
            t("plugins.column.version"),
            <>
              {plugin.version}
              {update && (
                <>
                  {" "}
                  <State tone="warn">{words(update)}</State>
                </>
              )}
            </>,
          ],
          [t("plugins.column.runtime"), t(`plugins.runtime.${plugin.runtimeType}`)],
          ...(plugin.externalBaseUrl
            ? ([
                [
                  t("plugins.fact.url"),
                  <CopyText key="url" value={plugin.externalBaseUrl} what={t("plugins.fact.url")} />,
                ],
              ] as [string, React.ReactNode][])
            : []),
          [t("plugins.fact.source"), t(`plugins.source.${plugin.source}`)],
          ...(by ? ([[t("plugins.fact.author"), by]] as [string, React.ReactNode][]) : []),
          [t("plugins.fact.signed"), plugin.signedBy ?? t("plugins.fact.unsigned")],
          ...(events.length > 0
            ? ([[t("plugins.fact.events"), <code key="events">{events.join(", ")}</code>]] as [
                string,
                React.ReactNode,
              ][])
            : []),
          [t("plugins.column.installed"), <Time key="at" at={plugin.updatedAt} />],
        ]}
      />
    </>
  );
};

const Actions = ({ plugin, instances, onUpgrade }: { plugin: Package; instances: number; onUpgrade: () => void }) => {
  const [ask, setAsk] = useState<"rollback" | "uninstall" | null>(null);
  const close = () => setAsk(null);
  const { slug, name, previousVersion } = plugin;
  return (
    <>
      <May needs="extensions:install">
        <UpdateButton kind="plugin" slug={slug} name={name} />
        <Button onClick={onUpgrade}>{t("plugins.upgrade")}</Button>
        {(previousVersion || plugin.source !== "builtin") && (
          <Menu>
            <Menu.Target>
              <ActionIcon variant="default" aria-label={t("plugins.more")}>
                <IconDots size={18} stroke={1.5} />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              {previousVersion && (
                <Menu.Item onClick={() => setAsk("rollback")}>
                  {t("plugins.rollback.menu", { version: previousVersion })}
                </Menu.Item>
              )}
              {plugin.source !== "builtin" && (
                <Menu.Item color="red" onClick={() => setAsk("uninstall")}>
                  {t("plugins.uninstall.menu")}
                </Menu.Item>
              )}
            </Menu.Dropdown>
          </Menu>
        )}
      </May>
      <RollbackConfirm
        open={ask === "rollback"}
        onClose={close}
        slug={slug}
        name={name}
        version={previousVersion ?? ""}
      />
      <UninstallConfirm open={ask === "uninstall"} onClose={close} slug={slug} name={name} instances={instances} />
    </>
  );
};
