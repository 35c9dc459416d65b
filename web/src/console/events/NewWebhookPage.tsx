import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Page } from "../kit/Page";
import { t } from "../text";
import { SecretNote } from "./SecretNote";
import { WebhookForm } from "./WebhookForm";
import { createWebhook, key } from "./webhooks";

const above = [{ title: t("events.webhooks.title"), to: "/events/webhooks" }];

export const NewWebhookPage = () => {
  const queries = useQueryClient();
  const create = useMutation({
    mutationFn: createWebhook,
    onSuccess: () => queries.invalidateQueries({ queryKey: key }),
  });
  if (create.data) {
    return (
      <Page title={t("events.webhooks.created2")} above={above}>
        <SecretNote secret={create.data.secret} />
        <div className="row">
          <Button variant="filled" component={Link} {...({ to: `/events/webhooks/${create.data.id}` } as object)}>
            {t("events.webhooks.open")}
          </Button>
        </div>
      </Page>
    );
  }
  return (
    <Page title={t("events.webhooks.add")} above={above}>
      <WebhookForm
        action={t("events.webhooks.add")}
        pending={create.isPending}
        error={create.error}
        onSave={(value) => create.mutate({ ...value, enabled: true })}
      />
    </Page>
  );
};
