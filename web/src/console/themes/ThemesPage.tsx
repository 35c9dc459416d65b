// What the shop and the console look like, and the themes that could change it.
import { Button } from "@mantine/core";
import { useState } from "react";
import { api, ok } from "../../api/client";
import "../extensions/extensions.css";
import { usePageDrop } from "../extensions/install/DropArea";
import { InstallDialog } from "../extensions/install/InstallDialog";
import { Confirm } from "../kit/Confirm";
import { DataTable, type Column } from "../kit/DataTable";
import { Empty } from "../kit/Empty";
import { ErrorNote } from "../kit/ErrorNote";
import { Filter, ListBar } from "../kit/ListBar";
import { Page, Section, Summary } from "../kit/Page";
import { Bar } from "../kit/Pending";
import { tell } from "../kit/toast";
import { useListSearch } from "../kit/useListSearch";
import { State, Time } from "../kit/values";
import { May, may } from "../kit/may";
import { PageLink } from "../kit/pages";
import { t } from "../text";
import {
  isApp,
  targets,
  useNames,
  useRefresh,
  useStatus,
  useThemes,
  type Applied,
  type Target,
  type Theme,
} from "./data";

export const ThemesPage = () => {
  const [install, setInstall] = useState<{ file: File | null } | null>(null);
  const mayInstall = may("extensions:install");
  const over = usePageDrop((file) => mayInstall && setInstall({ file })) && mayInstall;
  return (
    <Page
      title={t("themes.title")}
      actions={
        <May needs="extensions:install">
          <Button variant="filled" onClick={() => setInstall({ file: null })}>
            {t("plugins.install.button")}
          </Button>
        </May>
      }>
      {targets.map((target) => (
        <OfTarget key={target} target={target} />
      ))}
      <Section title={t("themes.installed")}>
        <List />
      </Section>
      {over && install === null && (
        <div className="drop-veil" aria-hidden>
          {t("plugins.install.dropHere")}
        </div>
      )}
      {install && <InstallDialog dropped={install.file} kind="theme-shop" onClose={() => setInstall(null)} />}
    </Page>
  );
};

const OfTarget = ({ target }: { target: Target }) => {
  const status = useStatus(target);
  const names = useNames(status.data ? [status.data.active, status.data.previous] : []);
  const nameOf = (applied: Applied | null) =>
    applied === null ? t("themes.builtIn") : `${names.get(applied.slug) ?? applied.slug} ${applied.version}`;
  return (
    <Section
      title={t(`themes.target.${target}`)}
      actions={
        status.data &&
        may("themes:write") && (
          <Actions target={target} active={status.data.active} previous={status.data.previous} nameOf={nameOf} />
        )
      }>
      {status.isError && <ErrorNote error={status.error} retry={() => void status.refetch()} />}
      <Summary
        facts={[
          [t("themes.active"), status.data ? nameOf(status.data.active) : <Bar key="a" width={96} />],
          [
            t("themes.previous"),
            status.data ? (
              status.data.previous === null && status.data.active === null ? (
                t("themes.nothing")
              ) : (
                nameOf(status.data.previous)
              )
            ) : (
              <Bar key="p" width={96} />
            ),
          ],
        ]}
      />
    </Section>
  );
};

const Actions = ({
  target,
  active,
  previous,
  nameOf,
}: {
  target: Target;
  active: Applied | null;
  previous: Applied | null;
  nameOf: (applied: Applied | null) => string;
}) => {
  const [ask, setAsk] = useState<"rollback" | "deactivate" | null>(null);
  const refresh = useRefresh();
  const close = () => setAsk(null);
  const where = t(`themes.target.${target}`);
  const path = { params: { path: { target } } };
  return (
    <>
      {previous !== null && (
        <Button size="xs" onClick={() => setAsk("rollback")}>
          {t("themes.rollback.button")}
        </Button>
      )}
      {active !== null && (
        <Button size="xs" onClick={() => setAsk("deactivate")}>
          {t("themes.deactivate.button")}
        </Button>
      )}
      <Confirm
        open={ask === "rollback"}
        onClose={close}
        danger={false}
        title={t("themes.rollback.title", { where })}
        action={t("themes.rollback.action", { name: nameOf(previous) })}
        done=""
        effects={[
          t("themes.rollback.effect1", { from: nameOf(active), to: nameOf(previous) }),
          t("themes.rollback.effect2"),
          t("themes.rollback.effect3"),
        ]}
        run={async () => {
          await ok(api.POST("/api/v1/admin/themes/{target}/rollback", path));
          tell(t("themes.activate.done", { where, name: nameOf(previous) }));
          await refresh();
        }}
      />
      <Confirm
        open={ask === "deactivate"}
        onClose={close}
        danger={false}
        title={t("themes.deactivate.title", { where })}
        action={t("themes.deactivate.button")}
        done={t("themes.deactivate.done", { where })}
        effects={[t("themes.deactivate.effect1", { name: nameOf(active) }), t("themes.deactivate.effect2")]}
        run={async () => {
          await ok(api.POST("/api/v1/admin/themes/{target}/deactivate", path));
          await refresh();
        }}
      />
    </>
  );
};

const columns: Column<Theme>[] = [
  {
    title: t("themes.column.name"),
    cell: (theme) => (
      <PageLink className="row-link" to={`/themes/${theme.kind}/${theme.slug}`}>
        {theme.name}
      </PageLink>
    ),
  },
  { title: t("themes.for"), named: true, cell: (theme) => t(`themes.target.${theme.target}`) },
  { title: t("themes.column.kind"), named: true, cell: (theme) => t(isApp(theme.kind) ? "themes.app" : "themes.pack") },
  { title: t("themes.column.versions"), named: true, cell: (theme) => theme.versions.map((v) => v.version).join(", ") },
  { title: t("themes.column.state"), cell: (theme) => <ThemeState theme={theme} /> },
  { title: t("themes.column.installed"), cell: (theme) => <Time at={theme.updatedAt} /> },
];

const ThemeState = ({ theme }: { theme: Theme }) => {
  const active = theme.versions.find((v) => v.active);
  return active ? (
    <State tone="good">{t("themes.isActive", { version: active.version })}</State>
  ) : (
    <State tone="none">{t("themes.notActive")}</State>
  );
};

// List is the installed themes of both targets, packs and apps.
const List = () => {
  const { search } = useListSearch();
  const query = useThemes(search);
  const kinds = [
    { value: "false", label: t("themes.pack") },
    { value: "true", label: t("themes.app") },
  ];
  return (
    <>
      <ListBar label={t("themes.search")}>
        <Filter
          name="target"
          label={t("themes.for")}
          choices={targets.map((value) => ({ value, label: t(`themes.target.${value}`) }))}
        />
        <Filter name="app" label={t("themes.column.kind")} choices={kinds} />
      </ListBar>
      <DataTable
        label={t("themes.installed")}
        query={query}
        columns={columns}
        keyOf={(theme) => `${theme.kind}/${theme.slug}`}
        stack
        link={(theme) => `/themes/${theme.kind}/${theme.slug}`}
        empty={<Empty title={t("themes.empty")}>{t("themes.emptyHow")}</Empty>}
      />
    </>
  );
};
