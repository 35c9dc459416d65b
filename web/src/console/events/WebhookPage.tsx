import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { Confirm } from "../kit/Confirm";
import { reason } from "../kit/reason";
import { ErrorNote, isUnread } from "../kit/ErrorNote";
import { Page, Section, Summary } from "../kit/Page";
import { Pending } from "../kit/Pending";
import { Time } from "../kit/values";
import { useBase } from "../kit/useBase";
import { tell, tellFailure } from "../kit/toast";
import { Locked, May } from "../kit/may";
import { t } from "../text";
import { Deliveries } from "./Deliveries";
import { SecretNote } from "./SecretNote";
import { WebhookForm } from "./WebhookForm";
import { changeWebhook, deleteWebhook, getWebhook, key, rotateSecret, testWebhook, type Webhook } from "./webhooks";
import { stateOf } from "./WebhooksPage";

export const WebhookPage = () => {
  const { id } = useParams({ strict: false }) as { id: string };
  const query = useQuery({ queryKey: [...key, "one", id], queryFn: () => getWebhook(id) });
  if (isUnread(query)) return <ErrorNote error={query.error} retry={() => void query.refetch()} />;
  if (!query.data) return <Pending />;
  return <Details webhook={query.data} />;
};

const Details = ({ webhook }: { webhook: Webhook }) => {
  const queries = useQueryClient();
  const { base, setTyped, settle } = useBase({ etag: webhook.updatedAt, url: webhook.url, events: webhook.events });
  const refresh = () => queries.invalidateQueries({ queryKey: key });
  const change = useMutation({
    mutationFn: (body: Parameters<typeof changeWebhook>[1]) => changeWebhook(webhook.id, body),
    onSuccess: async () => {
      await refresh();
      tell(t("events.webhooks.saved"));
    },
  });
  const test = useMutation({
    mutationFn: () => testWebhook(webhook.id),
    onSuccess: async () => {
      await refresh();
      tell(t("events.webhooks.tested"));
    },
    onError: (error) => tellFailure(reason(error)),
  });
  return (
    <Page
      title={new URL(webhook.url).host}
      badge={stateOf(webhook)}
      above={[{ title: t("events.webhooks.title"), to: "/events/webhooks" }]}
      actions={
        <>
          <May needs="webhooks:write">
            <Button onClick={() => change.mutate({ enabled: !webhook.enabled })} loading={change.isPending}>
              {t(webhook.enabled ? "events.webhooks.disable" : "events.webhooks.enable")}
            </Button>
          </May>
          <May needs="deliveries:replay">
            <Button variant="filled" onClick={() => test.mutate()} loading={test.isPending}>
              {t("events.webhooks.test")}
            </Button>
          </May>
        </>
      }>
      {webhook.disabledReason && (
        <p className="note" data-tone="bad">
          {webhook.disabledReason}
        </p>
      )}
      <Summary
        facts={[
          [t("events.webhooks.url"), <code key="u">{webhook.url}</code>],
          [t("events.webhooks.created"), <Time key="c" at={webhook.createdAt} />],
          [t("events.webhooks.failingSince"), <Time key="f" at={webhook.failingSince} />],
        ]}
      />
      <May needs="deliveries:read">
        <Deliveries webhookId={webhook.id} />
      </May>
      <Section title={t("events.webhooks.what")}>
        <Locked needs="webhooks:write">
          <WebhookForm
            key={base.etag}
            url={base.url}
            events={base.events}
            action={t("events.webhooks.save")}
            pending={change.isPending}
            error={change.error}
            onTyped={setTyped}
            onSave={(value) => change.mutate(value, { onSuccess: settle })}
          />
        </Locked>
      </Section>
      <May needs="webhooks:write">
        <Secret id={webhook.id} />
        <Remove webhook={webhook} />
      </May>
    </Page>
  );
};

const Secret = ({ id }: { id: string }) => {
  const [asking, setAsking] = useState(false);
  const [secret, setSecret] = useState<{ secret: string; previousUntil: string } | null>(null);
  return (
    <Section
      title={t("events.webhooks.secret")}
      actions={<Button onClick={() => setAsking(true)}>{t("events.webhooks.rotate")}</Button>}>
      {secret ? (
        <SecretNote {...secret} />
      ) : (
        <p className="soft prose" style={{ margin: 0 }}>
          {t("events.webhooks.secretAbout")}
        </p>
      )}
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        title={t("events.webhooks.rotate")}
        danger={false}
        effects={[t("events.webhooks.rotateEffect1"), t("events.webhooks.rotateEffect2")]}
        action={t("events.webhooks.rotate")}
        done={t("events.webhooks.rotated")}
        run={async () => setSecret(await rotateSecret(id))}
      />
    </Section>
  );
};

const Remove = ({ webhook }: { webhook: Webhook }) => {
  const [asking, setAsking] = useState(false);
  const navigate = useNavigate();
  const queries = useQueryClient();
  const remove = async () => {
    await deleteWebhook(webhook.id);
    await queries.invalidateQueries({ queryKey: key, refetchType: "none" });
    await navigate({ to: "/events/webhooks" });
  };
  return (
    <Section title={t("events.webhooks.remove")}>
      <div className="row">
        <Button data-danger onClick={() => setAsking(true)}>
          {t("events.webhooks.remove")}
        </Button>
      </div>
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        title={t("events.webhooks.removeOf", { host: new URL(webhook.url).host })}
        effects={[t("events.webhooks.removeEffect1"), t("events.webhooks.removeEffect2")]}
        action={t("events.webhooks.remove")}
        done={t("events.webhooks.removed")}
        run={remove}
      />
    </Section>
  );
};
