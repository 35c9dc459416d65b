import { Button } from "@mantine/core";
import { useQuery, keepPreviousData } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { DataTable, type Column } from "../kit/DataTable";
import { Empty } from "../kit/Empty";
import { ListBar } from "../kit/ListBar";
import { Page } from "../kit/Page";
import { useListSearch } from "../kit/useListSearch";
import { State, Time } from "../kit/values";
import { May } from "../kit/may";
import { t } from "../text";
import { EventsNav } from "./EventsNav";
import { key, listWebhooks, type Webhook } from "./webhooks";

// stateOf says how a webhook is, in a word.
export const stateOf = (w: Webhook) => {
  if (!w.enabled && w.disabledReason) return <State tone="bad">{t("events.webhooks.stopped")}</State>;
  if (!w.enabled) return <State tone="none">{t("events.webhooks.off")}</State>;
  if (w.failingSince) return <State tone="warn">{t("events.webhooks.failing")}</State>;
  return <State tone="good">{t("events.webhooks.on")}</State>;
};

const columns: Column<Webhook>[] = [
  {
    title: t("events.webhooks.url"),
    sort: ["url", "-url"],
    cell: (w) => (
      <Link className="row-link" to={`/events/webhooks/${w.id}` as string}>
        {w.url}
      </Link>
    ),
  },
  { title: t("events.webhooks.state"), cell: stateOf },
  { title: t("events.webhooks.events"), cell: (w) => <span title={w.events.join(", ")}>{w.events.join(", ")}</span> },
  { title: t("events.webhooks.created"), sort: ["created", "-created"], cell: (w) => <Time at={w.createdAt} /> },
];

export const WebhooksPage = () => {
  const { search } = useListSearch();
  const query = useQuery({
    queryKey: [...key, search],
    queryFn: () => listWebhooks(search),
    placeholderData: keepPreviousData,
  });
  const add = (
    <May needs="webhooks:write">
      <Button variant="filled" component={Link} {...({ to: "/events/webhooks/new" } as object)}>
        {t("events.webhooks.add")}
      </Button>
    </May>
  );
  return (
    <Page title={t("events.title")} actions={add}>
      <EventsNav />
      <div className="section">
        <ListBar label={t("events.webhooks.search")} />
        <DataTable
          label={t("events.webhooks.title")}
          query={query}
          columns={columns}
          keyOf={(w) => w.id}
          order="created"
          stack
          link={(w) => `/events/webhooks/${w.id}`}
          empty={
            <Empty title={t("events.webhooks.empty")} action={add}>
              {t("events.webhooks.about")}
            </Empty>
          }
        />
      </div>
    </Page>
  );
};
