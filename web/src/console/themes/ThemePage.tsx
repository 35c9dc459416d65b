// One theme: its versions, how it looks, and the form with which it is activated.
import { ActionIcon, Button, Menu, Select } from "@mantine/core";
import { IconDots, IconExternalLink } from "../kit/icons";
import { useMutation } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { api, ok } from "../../api/client";
import { asProblem } from "../../api/problem";
import "../extensions/extensions.css";
import { ConfigForm } from "../extensions/form/ConfigForm";
import { UpdateButton } from "../extensions/install/UpdateButton";
import { readManifest } from "../extensions/manifest";
import { Confirm } from "../kit/Confirm";
import { ErrorPage, isUnread } from "../kit/ErrorNote";
import { Page, Section, Summary } from "../kit/Page";
import { Pending } from "../kit/Pending";
import { tell } from "../kit/toast";
import { useListSearch } from "../kit/useListSearch";
import { State, Time } from "../kit/values";
import { Missing } from "../kit/Missing";
import { Locked, May, may } from "../kit/may";
import { LicenseSection } from "../markets/License";
import { t } from "../text";
import { isApp, themeKinds, useRefresh, useStatus, useTheme, type Applied, type Theme } from "./data";
import { Preview } from "./Preview";

export const ThemePage = () => {
  const { kind: named, slug } = useParams({ strict: false }) as { kind: string; slug: string };
  const kind = themeKinds.find((k) => k === named) ?? "theme-shop";
  const { search } = useListSearch();
  const theme = useTheme(kind, slug, search["version"] === undefined ? undefined : String(search["version"]));
  const status = useStatus(kind.endsWith("-admin") ? "admin" : "shop");
  if (kind !== named) return <Missing />;
  if (isUnread(theme)) return <ErrorPage error={theme.error} />;
  if (isUnread(status)) return <ErrorPage error={status.error} />;
  if (!theme.data || !status.data) return <Pending />;
  const { active } = status.data;
  return <Found theme={theme.data} active={active?.slug === slug ? active : null} />;
};

// Found shows a version of a theme. active is what the target shows, if it is this theme.
const Found = ({ theme, active }: { theme: Theme; active: Applied | null }) => {
  const { set } = useListSearch();
  const shown = active?.version === theme.version;
  return (
    <Page
      title={theme.name}
      above={[{ title: t("themes.title"), to: "/themes" }]}
      actions={<Actions theme={theme} active={active} />}
      badge={active && <State tone="good">{t("themes.isActive", { version: active.version })}</State>}>
      {theme.description && (
        <p className="prose" style={{ margin: 0 }}>
          {theme.description}
        </p>
      )}
      <Summary
        facts={[
          [t("themes.column.kind"), t(isApp(theme.kind) ? "themes.app" : "themes.pack")],
          [t("themes.for"), t(`themes.target.${theme.target}`)],
          [t("plugins.fact.source"), t(`plugins.source.${theme.source}`)],
          ...(theme.author ? ([[t("plugins.fact.author"), theme.author]] as [string, React.ReactNode][]) : []),
          [t("plugins.fact.signed"), theme.signedBy ?? t("plugins.fact.unsigned")],
          [t("themes.column.installed"), <Time key="at" at={theme.installedAt} />],
        ]}
      />
      <LicenseSection kind={theme.kind} slug={theme.slug} />
      <Select
        label={t("themes.column.versions")}
        w={280}
        data={theme.versions.map((v) => ({
          value: v.version,
          label: v.active ? t("themes.versionActive", { version: v.version }) : v.version,
        }))}
        value={theme.version}
        onChange={(version) => set({ version: version ?? undefined })}
      />
      <Activation key={theme.version} theme={theme} active={active} shown={shown} />
    </Page>
  );
};

const Activation = ({ theme, active, shown }: { theme: Theme; active: Applied | null; shown: boolean }) => {
  const refresh = useRefresh();
  const { configSchema, defaultConfig } = readManifest(theme.manifestJson);
  const config = (active?.config ?? defaultConfig) as Record<string, unknown>;
  const [edited, setEdited] = useState(config);
  const [ask, setAsk] = useState<Record<string, unknown> | null>(null);
  const values = { where: t(`themes.target.${theme.target}`), name: `${theme.name} ${theme.version}` };
  const activate = useMutation({
    mutationFn: (chosen: Record<string, unknown>) =>
      ok(
        api.POST("/api/v1/admin/themes/{target}/activate", {
          params: { path: { target: theme.target } },
          body: { slug: theme.slug, version: theme.version, config: chosen },
        }),
      ),
    onSuccess: () => {
      tell(t(shown ? "themes.activate.saved" : "themes.activate.done", values));
      void refresh();
    },
  });
  const problem = activate.isError ? asProblem(activate.error) : null;
  const unhealthy = problem?.code === "THEME_UNHEALTHY" ? problem : null;
  const takesOver = !shown && isApp(theme.kind);
  return (
    <>
      <Preview theme={theme} config={edited} />
      <Section title={t(shown ? "themes.activate.change" : "themes.activate.title")}>
        {unhealthy && (
          <div className="note" data-tone="bad" role="alert">
            <h3>{t("themes.activate.unhealthy")}</h3>
            <p>
              <code className="wrap">{String(unhealthy.details["reason"] ?? unhealthy.message)}</code>
            </p>
            <p>{t("themes.activate.unhealthyHow")}</p>
          </div>
        )}
        <Locked needs="themes:write">
          <ConfigForm
            key={`${theme.version}/${shown}`}
            schema={configSchema}
            config={config}
            complete
            configured={Object.fromEntries(
              Object.keys(configSchema).map((name) => [name, active !== null && name in active.config]),
            )}
            submit={shown ? t("themes.activate.save") : t("themes.activate.button", values)}
            none={t("themes.activate.none")}
            error={unhealthy ? null : activate.error}
            pending={activate.isPending}
            onSubmit={(chosen) => (takesOver ? setAsk(chosen) : activate.mutate(chosen))}
            onEdit={setEdited}>
            {!shown && (
              <p className="soft" style={{ margin: 0 }}>
                {t(isApp(theme.kind) ? "themes.activate.effectApp" : "themes.activate.effect", values)}
              </p>
            )}
          </ConfigForm>
        </Locked>
      </Section>
      <Confirm
        open={ask !== null}
        onClose={() => setAsk(null)}
        danger={false}
        title={t("themes.takeOver.title", values)}
        action={t("themes.activate.button", values)}
        done=""
        effects={[
          t(`themes.takeOver.${theme.target}`, values),
          ...(theme.target === "shop" ? [t("themes.takeOver.missing")] : []),
          t("themes.takeOver.back"),
        ]}
        run={async () => {
          const chosen = ask;
          setAsk(null); // what it comes to is told on the page
          if (chosen) await activate.mutateAsync(chosen).catch(() => undefined);
        }}>
        <a href={theme.baseUrl} target="_blank" rel="noopener">
          {t("themes.takeOver.look", values)}
        </a>
      </Confirm>
    </>
  );
};

const Actions = ({ theme, active }: { theme: Theme; active: Applied | null }) => {
  const [ask, setAsk] = useState(false);
  const refresh = useRefresh();
  const navigate = useNavigate();
  const run = async () => {
    await ok(
      api.DELETE("/api/v1/admin/extensions/{kind}/{slug}", {
        params: { path: { kind: theme.kind, slug: theme.slug }, query: { purge: true } },
      }),
    );
    await navigate({ to: "/themes" });
    void refresh();
  };
  return (
    <>
      <May needs="extensions:install">
        <UpdateButton kind={theme.kind} slug={theme.slug} name={theme.name} />
      </May>
      {isApp(theme.kind) && (
        <Button
          component="a"
          href={theme.baseUrl}
          target="_blank"
          rel="noopener"
          leftSection={<IconExternalLink size={16} stroke={1.5} />}>
          {t("themes.preview.open")}
        </Button>
      )}
      {active === null && may("extensions:install") && (
        <Menu>
          <Menu.Target>
            <ActionIcon variant="default" aria-label={t("plugins.more")}>
              <IconDots size={18} stroke={1.5} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item color="red" onClick={() => setAsk(true)}>
              {t("themes.uninstall.menu")}
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      )}
      <Confirm
        open={ask}
        onClose={() => setAsk(false)}
        run={run}
        title={t("themes.uninstall.title", { name: theme.name })}
        action={t("themes.uninstall.button", { name: theme.name })}
        done={t("themes.uninstall.done", { name: theme.name })}
        effects={[t.count("themes.uninstall.effect1", theme.versions.length), t("themes.uninstall.effect2")]}
      />
    </>
  );
};
