import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { formatNumber } from "../../text/format";
import { Confirm } from "../kit/Confirm";
import { CopyText } from "../kit/CopyText";
import { ErrorNote, ErrorPage, isUnread } from "../kit/ErrorNote";
import { Page, Section, Summary } from "../kit/Page";
import { Pending } from "../kit/Pending";
import { tell } from "../kit/toast";
import { useBase } from "../kit/useBase";
import { Time } from "../kit/values";
import { t } from "../text";
import { ProviderForm } from "./ProviderForm";
import { stateOf } from "./Providers";
import { formOf, get, key, remove, save, test, type Provider } from "./providers";
import { key as signInKey } from "./signIn";

export const above = [{ title: t("settings.signIn.title"), to: "/settings/sign-in" }];

export const ProviderPage = () => {
  const { slug } = useParams({ strict: false }) as { slug: string };
  const query = useQuery({ queryKey: [...key, slug], queryFn: () => get(slug) });
  if (isUnread(query)) return <ErrorPage error={query.error} />;
  if (!query.data) return <Pending />;
  return <Details provider={query.data} />;
};

// stays says how many would have no way in without a provider.
const stays = (p: Provider): string =>
  p.onlyWayIn > 0 ? t.count("settings.providers.lock", p.onlyWayIn) : t("settings.providers.lockNone");

const Details = ({ provider }: { provider: Provider }) => {
  const { slug, name, enabled } = provider;
  const queries = useQueryClient();
  const [asking, setAsking] = useState(false);
  const [saves, setSaves] = useState(0); // a secret that was saved leaves the form, which nothing else may tell
  const form = formOf(provider);
  const { base, setTyped, settle } = useBase({ etag: JSON.stringify([form, provider.hasSecret]), form });
  const refresh = async () => {
    await Promise.all([
      queries.invalidateQueries({ queryKey: key }),
      queries.invalidateQueries({ queryKey: signInKey }),
    ]);
  };
  const change = useMutation({
    mutationFn: (value: Parameters<typeof save>[1]) => save(slug, value),
    onSuccess: async () => {
      await refresh();
      settle();
      setSaves((n) => n + 1);
      tell(t("settings.providers.saved", { name }));
    },
  });
  const turn = useMutation({
    mutationFn: (on: boolean) => save(slug, { ...form, enabled: on }),
    onSuccess: async (now) => {
      await refresh();
      tell(t(now.enabled ? "settings.providers.enabled" : "settings.providers.disabled", { name }));
    },
  });
  return (
    <Page
      title={name}
      badge={stateOf(provider)}
      above={above}
      actions={
        <Button
          variant={enabled ? "default" : "filled"}
          loading={turn.isPending}
          onClick={() => (enabled ? setAsking(true) : turn.mutate(true))}>
          {t(enabled ? "settings.providers.disable" : "settings.providers.enable", { name })}
        </Button>
      }>
      {turn.isError && <ErrorNote error={turn.error} />}
      <Summary
        facts={[
          [
            t("settings.providers.redirect"),
            <CopyText key="r" value={provider.redirectUri} what={t("settings.providers.redirect")} />,
          ],
          [t("settings.providers.accounts"), formatNumber(provider.accounts)],
          [t("settings.providers.only"), formatNumber(provider.onlyWayIn)],
          [t("settings.providers.created"), <Time key="c" at={provider.createdAt} />],
        ]}
      />
      <Test slug={slug} />
      <Section title={t("settings.providers.what")}>
        <ProviderForm
          key={`${base.etag} ${saves}`}
          before={base.form}
          hasSecret={provider.hasSecret}
          action={t("settings.providers.save")}
          pending={change.isPending}
          error={change.error}
          onTyped={setTyped}
          // Turning it off or on is saved at once: what was typed since must not undo it.
          onSave={(value) => change.mutate({ ...value, enabled })}
        />
      </Section>
      <Remove provider={provider} />
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        title={t("settings.providers.disable", { name })}
        effects={[t("settings.providers.disableEffect", { name }), stays(provider)]}
        action={t("settings.providers.disable", { name })}
        done=""
        run={() => turn.mutateAsync(false)}
      />
    </Page>
  );
};

const Test = ({ slug }: { slug: string }) => {
  const run = useMutation({ mutationFn: () => test(slug) });
  return (
    <Section
      title={t("settings.providers.test")}
      actions={
        <Button loading={run.isPending} onClick={() => run.mutate()}>
          {t("settings.providers.testNow")}
        </Button>
      }>
      <p className="soft prose" style={{ margin: 0 }}>
        {t("settings.providers.testHow")}
      </p>
      <div role="status">
        {run.data && (
          <p className="note" data-tone={run.data.ok ? "good" : "bad"}>
            {run.data.ok ? t("settings.providers.works") : run.data.fault}
          </p>
        )}
      </div>
      {run.isError && <ErrorNote error={run.error} />}
    </Section>
  );
};

const Remove = ({ provider }: { provider: Provider }) => {
  const { slug, name } = provider;
  const [asking, setAsking] = useState(false);
  const navigate = useNavigate();
  const queries = useQueryClient();
  const run = async () => {
    await remove(slug);
    await queries.invalidateQueries({ queryKey: key, refetchType: "none" });
    await queries.invalidateQueries({ queryKey: signInKey, refetchType: "none" });
    await navigate({ to: "/settings/sign-in" });
  };
  return (
    <Section title={t("settings.providers.removeTitle")}>
      <p className="soft prose" style={{ margin: 0 }}>
        {stays(provider)}
      </p>
      <div className="row">
        <Button data-danger onClick={() => setAsking(true)}>
          {t("settings.providers.remove", { name })}
        </Button>
      </div>
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        title={t("settings.providers.remove", { name })}
        effects={[t("settings.providers.removeEffect", { name }), t("settings.providers.removeKeeps"), stays(provider)]}
        action={t("settings.providers.remove", { name })}
        done={t("settings.providers.removed", { name })}
        run={run}
      />
    </Section>
  );
};
