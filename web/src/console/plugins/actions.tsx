// What can be done to a plugin and its instances, each with its effects named before.
import { Checkbox } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api, ok } from "../../api/client";
import { Confirm } from "../kit/Confirm";
import { tell, tellFailure } from "../kit/toast";
import { reason } from "../kit/reason";
import { t } from "../text";
import { started, useRefresh, type Instance } from "./data";
import { LackingDialog } from "./Lacking";
import { lacking } from "./lacks";

interface Dialog {
  open: boolean;
  onClose: () => void;
}
interface OfInstance extends Dialog {
  instance: Instance;
  name: string;
}
interface OfPlugin extends Dialog {
  slug: string;
  name: string;
}

const patch = (instance: Instance, body: { enabled: boolean }) =>
  ok(
    api.PATCH("/api/v1/admin/plugins/{slug}/instances/{installationId}", {
      params: { path: { slug: instance.pluginSlug, installationId: instance.installationId } },
      body,
    }),
  );

// useEnable enables an instance, and tells, once it is known, whether it starts.
export const useEnable = (instance: Instance, name: string) => {
  const refresh = useRefresh();
  return async (done: "enable" | "restart" = "enable") => {
    await patch(instance, { enabled: true });
    const values = { name, key: instance.instanceKey };
    const told = started(instance).then(
      (message) =>
        message === undefined
          ? tell(t(`plugins.${done}.done`, values))
          : tellFailure(t("plugins.enable.failed", { ...values, message })),
      (error: unknown) => tellFailure(reason(error)),
    );
    void told.then(refresh);
  };
};

// RestartConfirm restarts an enabled instance, and enables one that is not. If that lacks
// config, it says so.
export const RestartConfirm = ({
  open,
  onClose,
  instance,
  name,
  manifestJson,
}: OfInstance & { manifestJson: string | undefined }) => {
  const enable = useEnable(instance, name);
  const values = { name, key: instance.instanceKey };
  const labels = lacking(instance, manifestJson);
  const kind = instance.enabled ? "restart" : "enable";
  const run = async () => {
    if (instance.enabled) await patch(instance, { enabled: false });
    await enable(kind);
  };
  const title = t(`plugins.${kind}.title`, values);
  if (labels.length > 0)
    return <LackingDialog open={open} onClose={onClose} instance={instance} labels={labels} title={title} />;
  return (
    <Confirm
      open={open}
      onClose={onClose}
      danger={false}
      run={run}
      title={title}
      action={t(`plugins.${kind}.button`)}
      done=""
      effects={
        instance.enabled
          ? [t("plugins.restart.effect1"), t("plugins.restart.effect2"), t("plugins.restart.effect3")]
          : [t("plugins.enable.effect1"), t("plugins.enable.effect2")]
      }
    />
  );
};

export const DisableConfirm = ({ open, onClose, instance, name }: OfInstance) => {
  const refresh = useRefresh();
  const values = { name, key: instance.instanceKey };
  return (
    <Confirm
      open={open}
      onClose={onClose}
      run={async () => {
        await patch(instance, { enabled: false });
        await refresh();
      }}
      title={t("plugins.disable.title", values)}
      action={t("plugins.disable.button")}
      done={t("plugins.disable.done", values)}
      effects={[t("plugins.disable.effect1"), t("plugins.disable.effect2"), t("plugins.disable.effect3")]}
    />
  );
};

export const DeleteConfirm = ({ open, onClose, instance, name }: OfInstance) => {
  const refresh = useRefresh();
  const navigate = useNavigate();
  const values = { name, key: instance.instanceKey };
  const run = async () => {
    await ok(
      api.DELETE("/api/v1/admin/plugins/{slug}/instances/{installationId}", {
        params: { path: { slug: instance.pluginSlug, installationId: instance.installationId } },
      }),
    );
    await navigate({ to: `/plugins/${instance.pluginSlug}` });
    void refresh();
  };
  return (
    <Confirm
      open={open}
      onClose={onClose}
      run={run}
      title={t("plugins.delete.title", values)}
      action={t("plugins.delete.button", values)}
      done={t("plugins.delete.done", values)}
      effects={[t("plugins.delete.effect1"), t("plugins.delete.effect2", values), t("plugins.delete.effect3")]}
    />
  );
};

export const RollbackConfirm = ({ open, onClose, slug, name, version }: OfPlugin & { version: string }) => {
  const refresh = useRefresh();
  const run = async () => {
    await ok(api.POST("/api/v1/admin/plugins/{slug}/rollback", { params: { path: { slug } } }));
    void refresh();
  };
  return (
    <Confirm
      open={open}
      onClose={onClose}
      run={run}
      title={t("plugins.rollback.title", { name, version })}
      action={t("plugins.rollback.to", { version })}
      done={t("plugins.rollback.done", { name, version })}
      danger={false}
      effects={[t("plugins.rollback.effect1"), t("plugins.rollback.effect2"), t("plugins.rollback.effect3")]}
    />
  );
};

export const UninstallConfirm = ({ open, onClose, slug, name, instances }: OfPlugin & { instances: number }) => {
  const refresh = useRefresh();
  const navigate = useNavigate();
  const [purge, setPurge] = useState(false);
  const restore = () => {
    restorePlugin(slug).then(
      () => {
        tell(t("plugins.restore.done", { name }));
        void refresh();
      },
      (error: unknown) => tellFailure(reason(error)),
    );
  };
  const run = async () => {
    await ok(
      api.DELETE("/api/v1/admin/plugins/{slug}", {
        params: { path: { slug }, ...(purge ? { query: { purge: true } } : {}) },
      }),
    );
    await navigate({ to: "/plugins" });
    void refresh();
    if (!purge) tell(t("plugins.uninstall.done", { name }), { label: t("plugins.restore.button"), run: restore });
  };
  const effects = [
    t.count("plugins.uninstall.effect1", instances),
    t("plugins.uninstall.effect2"),
    purge ? t("plugins.uninstall.purged") : t("plugins.uninstall.kept"),
  ];
  return (
    <Confirm
      open={open}
      onClose={onClose}
      run={run}
      title={t("plugins.uninstall.title", { name })}
      effects={effects}
      action={t(purge ? "plugins.uninstall.purge" : "plugins.uninstall.button", { name })}
      done={purge ? t("plugins.uninstall.purgeDone", { name }) : ""}>
      <Checkbox
        label={t("plugins.uninstall.also")}
        description={t("plugins.uninstall.alsoHow")}
        checked={purge}
        onChange={(e) => setPurge(e.currentTarget.checked)}
      />
    </Confirm>
  );
};

export const restorePlugin = (slug: string) =>
  ok(api.POST("/api/v1/admin/plugins/{slug}/restore", { params: { path: { slug } } }));
