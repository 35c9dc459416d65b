// What stoa sent to plugins, hooks and events, with every attempt; and sending it again.
import { Button, Modal } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, data, ok } from "../../api/client";
import { formatDuration } from "../../text/format";
import { Attempts } from "../kit/Attempts";
import { Confirm } from "../kit/Confirm";
import { CopyText } from "../kit/CopyText";
import { DataTable, type Column } from "../kit/DataTable";
import { Empty } from "../kit/Empty";
import { FindFilter } from "../kit/FindFilter";
import { reason } from "../kit/reason";
import { Filter, ListBar } from "../kit/ListBar";
import { Section, Summary } from "../kit/Page";
import { tell, tellFailure } from "../kit/toast";
import { useListSearch } from "../kit/useListSearch";
import { State, Time, type Tone } from "../kit/values";
import { May, may } from "../kit/may";
import { PageLink } from "../kit/pages";
import { c, t } from "../text";
import { useRefresh, type Delivery } from "./data";

const tones: Record<Delivery["state"], Tone> = { waiting: "warn", delivered: "good", dead: "bad", cancelled: "none" };
const states = ["waiting", "delivered", "dead", "cancelled"] as const;

// Deliveries lists those to one instance, one plugin, or all.
export const Deliveries = ({ slug, installationId }: { slug?: string; installationId?: string }) => {
  const { search, page } = useListSearch();
  const [shown, setShown] = useState<Delivery | null>(null);
  const [replay, setReplay] = useState(false);
  const refresh = useRefresh();
  const state = states.find((s) => s === search["state"]);
  const of = slug ?? (search["plugin"] === undefined ? undefined : String(search["plugin"]));
  const query = useQuery({
    queryKey: ["plugins", of ?? "-all", "hooks", installationId, state, page],
    queryFn: () => {
      const query = {
        page,
        ...(of ? { slug: of } : {}),
        ...(installationId ? { installationId } : {}),
        ...(state ? { state } : {}),
      };
      return data(api.GET("/api/v1/admin/hooks", { params: { query } }));
    },
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  });
  const since = oneMonthAgo();
  return (
    <Section
      title={t("plugins.deliveries.title")}
      actions={
        !installationId &&
        may("deliveries:replay") && (
          <Button size="xs" onClick={() => setReplay(true)}>
            {t("plugins.deliveries.replayDead")}
          </Button>
        )
      }>
      <ListBar search={false}>
        {slug === undefined && may("extensions:read") && (
          <FindFilter
            name="plugin"
            label={t("plugins.column.name")}
            none={t("plugins.none")}
            useChoices={usePluginChoices}
          />
        )}
        <Filter
          name="state"
          label={t("plugins.column.state")}
          choices={states.map((value) => ({ value, label: t(`plugins.deliveries.${value}`) }))}
        />
      </ListBar>
      <DataTable
        label={t("plugins.deliveries.title")}
        query={query}
        columns={columns(setShown, slug === undefined)}
        stack
        keyOf={(d) => d.id}
        empty={<Empty title={t("plugins.deliveries.empty")}>{t("plugins.deliveries.emptyHow")}</Empty>}
      />
      {shown && (
        <DeliveryDialog
          delivery={query.data?.items.find((d) => d.id === shown.id) ?? shown}
          onClose={() => setShown(null)}
        />
      )}
      <Confirm
        open={replay}
        onClose={() => setReplay(false)}
        danger={false}
        title={t("plugins.deliveries.replayDeadTitle")}
        action={t("plugins.deliveries.replayDead")}
        done=""
        effects={[
          t(slug ? "plugins.deliveries.replayEffect1" : "plugins.deliveries.replayAllEffect1"),
          t("plugins.deliveries.replayEffect2"),
        ]}
        run={async () => {
          const { replayed } = await data(
            slug
              ? api.POST("/api/v1/admin/plugins/{slug}/hooks/replay", { params: { path: { slug } }, body: { since } })
              : api.POST("/api/v1/admin/hooks/replay", { body: { since } }),
          );
          tell(t.count("plugins.deliveries.replayed", replayed));
          await refresh();
        }}
      />
    </Section>
  );
};

// usePluginChoices finds plugins by what was typed, on the server.
const usePluginChoices = (typed: string, chosen: string | null) => {
  const [q] = useDebouncedValue(typed, 200);
  const found = useQuery({
    queryKey: ["plugins", "-choices", q],
    queryFn: () =>
      data(
        api.GET("/api/v1/admin/extensions/{kind}", {
          params: { path: { kind: "plugin" }, query: { sort: "name", ...(q ? { q } : {}) } },
        }),
      ),
    placeholderData: keepPreviousData,
  });
  const choices = (found.data?.items ?? []).map(({ slug, name }) => ({ value: slug, label: name }));
  return chosen && !choices.some(({ value }) => value === chosen)
    ? [{ value: chosen, label: chosen }, ...choices]
    : choices;
};

// oneMonthAgo is before everything that is kept.
const oneMonthAgo = (): string => new Date(Date.now() - 31 * 86_400_000).toISOString();

const last = (d: Delivery) => d.attempts.at(-1);

const columns = (show: (delivery: Delivery) => void, all: boolean): Column<Delivery>[] => [
  {
    title: t("plugins.deliveries.name"),
    cell: (d) => (
      <button type="button" className="link" onClick={() => show(d)}>
        <code>{d.name}</code>
      </button>
    ),
  },
  ...(all
    ? [
        {
          title: t("plugins.column.name"),
          cell: (d: Delivery) => <PageLink to={`/plugins/${d.pluginSlug}`}>{d.pluginSlug}</PageLink>,
        },
      ]
    : []),
  {
    title: t("plugins.column.state"),
    cell: (d) => <State tone={tones[d.state]}>{t(`plugins.deliveries.${d.state}`)}</State>,
  },
  { title: t("plugins.deliveries.answer"), cell: (d) => answerOf(last(d)) },
  { title: t("plugins.deliveries.attempts"), end: true, named: true, cell: (d) => d.attempts.length },
  {
    title: t("plugins.deliveries.duration"),
    end: true,
    cell: (d) => {
      const a = last(d);
      return a ? formatDuration(a.durationMs) : "";
    },
  },
  { title: t("plugins.deliveries.at"), cell: (d) => <Time at={d.createdAt} /> },
];

const answerOf = (a: Delivery["attempts"][number] | undefined) =>
  a === undefined ? (
    ""
  ) : a.error ? (
    <span className="clip" title={a.error}>
      {a.status ?? ""} {a.error}
    </span>
  ) : (
    (a.status ?? "")
  );

const DeliveryDialog = ({ delivery, onClose }: { delivery: Delivery; onClose: () => void }) => {
  const refresh = useRefresh();
  const replay = useMutation({
    mutationFn: () =>
      ok(api.POST("/api/v1/admin/hooks/{deliveryId}/replay", { params: { path: { deliveryId: delivery.id } } })),
    onSuccess: () => {
      tell(t("plugins.deliveries.replayedOne", { name: delivery.name }));
      void refresh();
    },
    onError: (error) => tellFailure(reason(error)),
  });
  return (
    <Modal opened onClose={onClose} size="lg" title={delivery.name} closeButtonProps={{ "aria-label": c("close") }}>
      <div className="section">
        <Summary
          facts={[
            [
              t("plugins.column.state"),
              <State key="s" tone={tones[delivery.state]}>
                {t(`plugins.deliveries.${delivery.state}`)}
              </State>,
            ],
            [t("plugins.deliveries.at"), <Time key="a" at={delivery.createdAt} />],
            ...(delivery.nextAttemptAt && delivery.state === "waiting"
              ? ([[t("plugins.deliveries.next"), <Time key="n" at={delivery.nextAttemptAt} />]] as [
                  string,
                  React.ReactNode,
                ][])
              : []),
            [t("plugins.deliveries.id"), <CopyText key="i" value={delivery.id} what={t("plugins.deliveries.id")} />],
          ]}
        />
        <Attempts attempts={delivery.attempts} />
        <div className="dialog-actions">
          <May needs="deliveries:replay">
            <Button variant="filled" loading={replay.isPending} onClick={() => replay.mutate()}>
              {t("plugins.deliveries.replay")}
            </Button>
          </May>
        </div>
      </div>
    </Modal>
  );
};
