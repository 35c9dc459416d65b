// What was sent to a webhook, with every attempt.
import { Button, Modal, TextInput } from "@mantine/core";
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { formatDuration } from "../../text/format";
import { Attempts, Text } from "../kit/Attempts";
import { CopyText } from "../kit/CopyText";
import { DataTable, type Column } from "../kit/DataTable";
import { Empty } from "../kit/Empty";
import { reason } from "../kit/reason";
import { Filter } from "../kit/ListBar";
import { Confirm } from "../kit/Confirm";
import { Section, Summary } from "../kit/Page";
import { tell, tellFailure } from "../kit/toast";
import { useListSearch } from "../kit/useListSearch";
import { State, Time, type Tone } from "../kit/values";
import { May, may } from "../kit/may";
import { c, t } from "../text";
import { key, listDeliveries, replayDelivery, replaySince, type Delivery, type DeliveryState } from "./webhooks";

const states: DeliveryState[] = ["waiting", "delivered", "dead", "cancelled"];
const tones: Record<DeliveryState, Tone> = { waiting: "warn", delivered: "good", dead: "bad", cancelled: "none" };

// lastAnswer says in a few words what the last attempt came to.
const lastAnswer = (d: Delivery): string => {
  const last = d.attempts.at(-1);
  if (!last) return "–";
  return [last.status ?? last.error ?? "", formatDuration(last.durationMs)].join(" · ");
};

export const Deliveries = ({ webhookId }: { webhookId: string }) => {
  const { search, page } = useListSearch();
  const [since, setSince] = useState(false);
  const [shown, setShown] = useState<Delivery | null>(null);
  const state = states.find((s) => s === search["state"]);
  const query = useQuery({
    queryKey: [...key, "deliveries", webhookId, page, state],
    queryFn: () => listDeliveries(webhookId, page, state),
    placeholderData: keepPreviousData,
    refetchInterval: 5_000,
  });
  const columns: Column<Delivery>[] = [
    {
      title: t("events.deliveries.event"),
      cell: (d) => (
        <button type="button" className="link" onClick={() => setShown(d)}>
          <code>{d.type}</code>
        </button>
      ),
    },
    {
      title: t("events.deliveries.state"),
      cell: (d) => <State tone={tones[d.state]}>{t(`events.deliveries.${d.state}`)}</State>,
    },
    { title: t("events.deliveries.attempts"), end: true, named: true, cell: (d) => d.attempts.length },
    {
      title: t("events.deliveries.answer"),
      cell: (d) => <span title={d.attempts.at(-1)?.response}>{lastAnswer(d)}</span>,
    },
    { title: t("events.deliveries.created"), spare: true, cell: (d) => <Time at={d.createdAt} /> },
    { title: t("events.deliveries.next"), named: true, cell: (d) => <Time at={d.nextAttemptAt} /> },
    { title: t("events.deliveries.again"), end: true, cell: (d) => <Replay id={d.id} type={d.type} /> },
  ];
  return (
    <Section
      title={t("events.deliveries.title")}
      actions={
        <>
          <Filter
            name="state"
            label={t("events.deliveries.state")}
            choices={states.map((value) => ({ value, label: t(`events.deliveries.${value}`) }))}
          />
          <May needs="deliveries:replay">
            <Button onClick={() => setSince(true)}>{t("events.deliveries.since")}</Button>
          </May>
        </>
      }>
      <DataTable
        label={t("events.deliveries.title")}
        query={query}
        columns={columns}
        keyOf={(d) => d.id}
        stack
        empty={<Empty title={t("events.deliveries.empty")}>{t("events.deliveries.about")}</Empty>}
      />
      {shown && (
        <DeliveryDialog
          delivery={query.data?.items.find((d) => d.id === shown.id) ?? shown}
          onClose={() => setShown(null)}
        />
      )}
      <ReplaySince open={since} onClose={() => setSince(false)} webhookId={webhookId} />
    </Section>
  );
};

const DeliveryDialog = ({ delivery, onClose }: { delivery: Delivery; onClose: () => void }) => (
  <Modal opened onClose={onClose} size="lg" title={delivery.type} closeButtonProps={{ "aria-label": c("close") }}>
    <div className="section">
      <Summary
        facts={[
          [
            t("events.deliveries.state"),
            <State key="s" tone={tones[delivery.state]}>
              {t(`events.deliveries.${delivery.state}`)}
            </State>,
          ],
          [t("events.deliveries.created"), <Time key="c" at={delivery.createdAt} />],
          [t("events.deliveries.id"), <CopyText key="i" value={delivery.eventId} what={t("events.deliveries.id")} />],
        ]}
      />
      <Text label={t("events.deliveries.message")} text={JSON.stringify(delivery.payload, null, 2)} />
      <Attempts attempts={delivery.attempts} />
      <div className="dialog-actions">
        <Replay id={delivery.id} type={delivery.type} />
      </div>
    </div>
  </Modal>
);

const Replay = ({ id, type }: { id: string; type: string }) => {
  const queries = useQueryClient();
  const replay = useMutation({
    mutationFn: () => replayDelivery(id),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: key });
      tell(t("events.deliveries.replayed"));
    },
    onError: (error) => tellFailure(reason(error)),
  });
  if (!may("deliveries:replay")) return null;
  return (
    <Button
      size="compact-sm"
      loading={replay.isPending}
      aria-label={t("events.deliveries.replayOf", { type })}
      onClick={() => replay.mutate()}>
      {t("events.deliveries.replay")}
    </Button>
  );
};

const ReplaySince = ({ open, onClose, webhookId }: { open: boolean; onClose: () => void; webhookId: string }) => {
  const [at, setAt] = useState("");
  const queries = useQueryClient();
  const run = async () => {
    await replaySince(webhookId, new Date(at).toISOString());
    await queries.invalidateQueries({ queryKey: key });
  };
  return (
    <Confirm
      open={open}
      onClose={onClose}
      title={t("events.deliveries.since")}
      danger={false}
      effects={[t("events.deliveries.sinceEffect")]}
      action={t("events.deliveries.sinceAction")}
      done={t("events.deliveries.replayed")}
      run={run}>
      <TextInput
        type="datetime-local"
        label={t("events.deliveries.sinceLabel")}
        value={at}
        onChange={(e) => setAt(e.currentTarget.value)}
      />
    </Confirm>
  );
};
