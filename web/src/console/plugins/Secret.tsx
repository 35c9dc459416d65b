// The secret that signs what stoa sends to a plugin. It is shown when somebody asks for it.
import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { api, data, type Schemas } from "../../api/client";
import { Confirm } from "../kit/Confirm";
import { CopyText } from "../kit/CopyText";
import { ErrorNote } from "../kit/ErrorNote";
import { Section } from "../kit/Page";
import { Time } from "../kit/values";
import { t } from "../text";

export const Secret = ({ slug, name, external }: { slug: string; name: string; external: boolean }) => {
  const [secret, setSecret] = useState<Schemas["Secret"] | null>(null);
  const [ask, setAsk] = useState(false);
  const params = { params: { path: { slug } } };
  const show = useMutation({
    mutationFn: () => data(api.GET("/api/v1/admin/plugins/{slug}/secret", params)),
    onSuccess: setSecret,
  });
  return (
    <Section
      title={t("plugins.secret.title")}
      actions={
        <Button size="xs" onClick={() => setAsk(true)}>
          {t("plugins.secret.rotate")}
        </Button>
      }>
      <p className="prose soft" style={{ margin: 0 }}>
        {t(external ? "plugins.secret.external" : "plugins.secret.internal")}
      </p>
      {show.isError && <ErrorNote error={show.error} />}
      {secret === null ? (
        <div>
          <Button loading={show.isPending} onClick={() => show.mutate()}>
            {t("plugins.secret.show")}
          </Button>
        </div>
      ) : (
        <>
          <dl className="facts">
            <div>
              <dt>{t("plugins.secret.present")}</dt>
              <dd>
                <CopyText value={secret.secret} what={t("plugins.secret.present")} />
              </dd>
            </div>
            {secret.previousSecret && (
              <div>
                <dt>{t("plugins.secret.previous")}</dt>
                <dd>
                  <CopyText value={secret.previousSecret} what={t("plugins.secret.previous")} />{" "}
                  <span className="soft">
                    {t("plugins.secret.until")} <Time at={secret.previousUntil} />
                  </span>
                </dd>
              </div>
            )}
          </dl>
          <div>
            <Button onClick={() => setSecret(null)}>{t("plugins.secret.hide")}</Button>
          </div>
        </>
      )}
      <Confirm
        open={ask}
        onClose={() => setAsk(false)}
        danger={false}
        title={t("plugins.secret.rotateTitle", { name })}
        action={t("plugins.secret.rotate")}
        done={t("plugins.secret.rotated")}
        effects={[t("plugins.secret.effect1"), t("plugins.secret.effect2"), t("plugins.secret.effect3")]}
        run={async () => setSecret(await data(api.POST("/api/v1/admin/plugins/{slug}/secret/rotate", params)))}
      />
    </Section>
  );
};
