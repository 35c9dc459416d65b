// The page of a plugin that is not installed: perhaps it was, and can come back.
import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { api, ok } from "../../api/client";
import { asProblem } from "../../api/problem";
import { Confirm } from "../kit/Confirm";
import { ErrorNote } from "../kit/ErrorNote";
import { Page } from "../kit/Page";
import { tell } from "../kit/toast";
import { May } from "../kit/may";
import { t } from "../text";
import { restorePlugin } from "./actions";
import { useRefresh } from "./data";

export const Gone = ({ slug }: { slug: string }) => {
  const refresh = useRefresh();
  const [purge, setPurge] = useState(false);
  const restore = useMutation({
    mutationFn: () => restorePlugin(slug),
    onSuccess: () => {
      tell(t("plugins.restore.done", { name: slug }));
      void refresh();
    },
  });
  const never = restore.isError && asProblem(restore.error).status === 404;
  return (
    <Page title={slug} above={[{ title: t("plugins.title"), to: "/plugins" }]}>
      <div className="empty">
        <h2>{t("plugins.gone.title")}</h2>
        <p>{t("plugins.gone.how")}</p>
        {restore.isError &&
          (never ? <p role="alert">{t("plugins.gone.never", { slug })}</p> : <ErrorNote error={restore.error} />)}
        <May needs="extensions:install">
          <div className="row">
            <Button variant="filled" loading={restore.isPending} onClick={() => restore.mutate()}>
              {t("plugins.restore.button")}
            </Button>
            <Button onClick={() => setPurge(true)}>{t("plugins.gone.purge")}</Button>
          </div>
        </May>
      </div>
      <Confirm
        open={purge}
        onClose={() => setPurge(false)}
        title={t("plugins.gone.purgeTitle", { slug })}
        action={t("plugins.uninstall.purge", { name: slug })}
        effects={[t("plugins.uninstall.purged")]}
        done={t("plugins.uninstall.purgeDone", { name: slug })}
        run={async () => {
          await ok(api.DELETE("/api/v1/admin/plugins/{slug}", { params: { path: { slug }, query: { purge: true } } }));
          await refresh();
        }}
      />
    </Page>
  );
};
