// Why an instance does not work: since when, where in its code, what a shopper sees, and
// what to do about it.
import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Time } from "../kit/values";
import { May, may } from "../kit/may";
import { t } from "../text";
import { RestartConfirm, RollbackConfirm } from "./actions";
import type { Instance, Package } from "./data";
import { isBroken, shopperSees, stateOf } from "./state";

type LastError = NonNullable<Instance["runtime"]["lastError"]>;

export const placeOf = ({ file, line }: Pick<LastError, "file" | "line">): string =>
  file ? `${file}${line ? `:${line}` : ""}` : "";

// Cause shows nothing for an instance that is well and has been since its last change.
export const Cause = ({ plugin, instance, here }: { plugin: Package; instance: Instance; here: boolean }) => {
  const [ask, setAsk] = useState<"restart" | "rollback" | null>(null);
  const { name, manifestJson, previousVersion } = plugin;
  const { runtime, lifecycleWarning } = instance;
  const state = stateOf(instance, manifestJson);
  const broken = isBroken(instance);
  if (!broken && !runtime.lastError) return null;
  const error = runtime.lastError;
  const at = `/plugins/${instance.pluginSlug}/${instance.installationId}`;
  return (
    <section
      className="note"
      data-tone={broken ? (state.tone === "warn" ? "warn" : "bad") : "none"}
      aria-label={t("plugins.cause.label", { key: instance.instanceKey })}>
      <h3>
        {broken
          ? t("plugins.cause.title", { key: instance.instanceKey, state: state.word })
          : t(error?.over ? "plugins.cause.recovered" : "plugins.cause.notSince", { key: instance.instanceKey })}
      </h3>
      {error && (
        <p>
          <code className="wrap">
            {placeOf(error) && <strong>{placeOf(error)} </strong>}
            {error.message}
          </code>
        </p>
      )}
      {lifecycleWarning && <p>{lifecycleWarning}</p>}
      <dl className="facts">
        {broken && (
          <div>
            <dt>{t("plugins.cause.since")}</dt>
            <dd>
              <Time at={runtime.since} />
            </dd>
          </div>
        )}
        {error && (
          <div>
            <dt>{t("plugins.cause.last")}</dt>
            <dd>
              <Time at={error.at} />
            </dd>
          </div>
        )}
        {error?.over && runtime.state === "running" && (
          <div>
            <dt>{t("plugins.cause.again")}</dt>
            <dd>
              <Time at={runtime.since} />
            </dd>
          </div>
        )}
        {broken && (
          <div>
            <dt>{t("plugins.cause.sees")}</dt>
            <dd>{shopperSees(instance)}</dd>
          </div>
        )}
      </dl>
      {broken && (
        <div className="row">
          <May needs="extensions:configure">
            <Button size="xs" onClick={() => setAsk("restart")}>
              {t(instance.enabled ? "plugins.restart.button" : "plugins.enable.button")}
            </Button>
          </May>
          {previousVersion && may("extensions:install") && (
            <Button size="xs" onClick={() => setAsk("rollback")}>
              {t("plugins.rollback.to", { version: previousVersion })}
            </Button>
          )}
          {!here && may("extensions:logs") && (
            <Link to={at} search={{ view: "log" } as never}>
              {t("plugins.cause.log")}
            </Link>
          )}
        </div>
      )}
      <RestartConfirm
        open={ask === "restart"}
        onClose={() => setAsk(null)}
        instance={instance}
        name={name}
        manifestJson={manifestJson}
      />
      <RollbackConfirm
        open={ask === "rollback"}
        onClose={() => setAsk(null)}
        slug={instance.pluginSlug}
        name={name}
        version={previousVersion ?? ""}
      />
    </section>
  );
};
