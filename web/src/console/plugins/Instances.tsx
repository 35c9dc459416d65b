// The instances of a plugin, and a form for another one.
import { Button, Modal, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState, type FormEvent } from "react";
import { api, data } from "../../api/client";
import { readManifest } from "../extensions/manifest";
import { DataTable, type Column } from "../kit/DataTable";
import { Empty } from "../kit/Empty";
import { useFaults } from "../kit/useFaults";
import { ErrorNote } from "../kit/ErrorNote";
import { ListBar } from "../kit/ListBar";
import { Section } from "../kit/Page";
import { useListSearch } from "../kit/useListSearch";
import { State, Time } from "../kit/values";
import { May } from "../kit/may";
import { c, t } from "../text";
import { placeOf } from "./Cause";
import { instancesQuery, useRefresh, type Instance, type Package } from "./data";
import { isLapsed, stateOf } from "./state";

export const Instances = ({ plugin }: { plugin: Package }) => {
  const { slug } = plugin;
  const { search } = useListSearch();
  const [adding, setAdding] = useState(false);
  const columns: Column<Instance>[] = [
    {
      title: t("plugins.column.key"),
      sort: ["key", "-key"],
      cell: ({ installationId, instanceKey }) => (
        <Link className="row-link" to="/plugins/$slug/$installationId" params={{ slug, installationId }}>
          {instanceKey}
        </Link>
      ),
    },
    {
      title: t("plugins.column.state"),
      cell: (item) => <InstanceState instance={item} plugin={plugin} />,
    },
    { title: t("plugins.column.since"), named: true, cell: (item) => <Time at={item.runtime.since} /> },
    { title: t("plugins.column.permissions"), end: true, named: true, cell: (item) => item.grantedPermissions.length },
    {
      title: t("plugins.column.changed"),
      named: true,
      sort: ["updated", "-updated"],
      cell: (item) => <Time at={item.updatedAt} />,
    },
  ];
  const query = useQuery(instancesQuery(slug, search));
  // Most plugins have one instance: a search would only stand in the way.
  const searchable = search.q !== undefined || (query.data?.pagination.total ?? 0) > 5;
  return (
    <Section
      title={t("plugins.instances.title")}
      actions={
        <May needs="extensions:configure">
          <Button size="xs" onClick={() => setAdding(true)}>
            {t("plugins.instances.add")}
          </Button>
        </May>
      }>
      {searchable && <ListBar label={t("plugins.instances.search")} />}
      <DataTable
        label={t("plugins.instances.title")}
        query={query}
        columns={columns}
        keyOf={(item) => item.installationId}
        stack
        link={(item) => `/plugins/${slug}/${item.installationId}`}
        empty={<Empty title={t("plugins.instances.empty")} />}
      />
      {adding && <AddInstance plugin={plugin} onClose={() => setAdding(false)} />}
    </Section>
  );
};

const InstanceState = ({ instance, plugin }: { instance: Instance; plugin: Package }) => {
  const { tone, word, rank } = stateOf(instance, plugin.manifestJson, isLapsed(plugin));
  const error = instance.runtime.lastError;
  return (
    <>
      <State tone={tone}>{word}</State>
      {rank >= 3 && error && (
        <code className="small soft" title={error.message}>
          {" "}
          {placeOf(error) || error.message}
        </code>
      )}
    </>
  );
};

// AddInstance creates an instance that is disabled if the plugin needs to be configured
// first; its page has the form.
const AddInstance = ({ plugin, onClose }: { plugin: Package; onClose: () => void }) => {
  const [key, setKey] = useState("");
  const navigate = useNavigate();
  const refresh = useRefresh();
  const { configSchema } = readManifest(plugin.manifestJson);
  const enabled = !Object.values(configSchema).some((field) => field.required);
  const create = useMutation({
    mutationFn: () =>
      data(
        api.POST("/api/v1/admin/plugins/{slug}/instances", {
          params: { path: { slug: plugin.slug } },
          body: { instanceKey: key.trim(), enabled },
        }),
      ),
    onSuccess: (made) => {
      void refresh();
      onClose();
      void navigate({ to: `/plugins/${plugin.slug}/${made.installationId}` });
    },
  });
  const { issues, at } = useFaults(create.error, { instanceKey: key });
  const wrong = at("instanceKey");
  const submit = (e: FormEvent) => {
    e.preventDefault();
    create.mutate();
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={t("plugins.instances.addTitle", { name: plugin.name })}
      closeButtonProps={{ "aria-label": c("close") }}>
      <form className="form" onSubmit={submit}>
        <TextInput
          label={t("plugins.column.key")}
          description={t("plugins.instances.keyHow")}
          required
          pattern="[a-z0-9\-]{1,32}"
          maxLength={32}
          data-autofocus
          value={key}
          onChange={(e) => setKey(e.currentTarget.value)}
          {...(wrong ? { error: wrong } : {})}
        />
        {!enabled && (
          <p className="soft" style={{ margin: 0 }}>
            {t("plugins.instances.disabledFirst")}
          </p>
        )}
        {create.isError && issues.length === 0 && <ErrorNote error={create.error} />}
        <div className="dialog-actions">
          <Button onClick={onClose}>{c("cancel")}</Button>
          <Button type="submit" variant="filled" loading={create.isPending}>
            {t("plugins.instances.create")}
          </Button>
        </div>
      </form>
    </Modal>
  );
};
