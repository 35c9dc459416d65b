// The form of a webhook: its address and its events.
import { Button, Checkbox, TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { ErrorNote } from "../kit/ErrorNote";
import { useTyped } from "../kit/useBase";
import { useFaults } from "../kit/useFaults";
import { t } from "../text";
import { eventTypes } from "./webhooks";

interface WebhookFormProps {
  url?: string;
  events?: string[];
  action: string;
  pending: boolean;
  error: unknown;
  onTyped?: (typed: boolean) => void;
  onSave: (value: { url: string; events: string[] }) => void;
}

const isOwn = (pattern: string) => (eventTypes as readonly string[]).includes(pattern);

// chosenTypes are stoa's own types that patterns name, "order.*" included.
const chosenTypes = (patterns: string[]): string[] =>
  eventTypes.filter((type) =>
    patterns.some((p) => p === type || (p.endsWith(".*") && type.startsWith(p.slice(0, -1)))),
  );

const ignore = () => undefined;

export const WebhookForm = ({
  url: firstUrl = "",
  events = [],
  action,
  pending,
  error,
  onTyped = ignore,
  onSave,
}: WebhookFormProps) => {
  const [url, setUrl] = useState(firstUrl);
  const [firstTypes, firstOthers] = [
    chosenTypes(events),
    events.filter((p) => !isOwn(p) && chosenTypes([p]).length === 0).join(", "),
  ];
  const [types, setTypes] = useState(firstTypes);
  const [others, setOthers] = useState(firstOthers);
  useTyped(
    url !== firstUrl || others !== firstOthers || [...types].sort().join() !== [...firstTypes].sort().join(),
    onTyped,
  );
  const { issues, at } = useFaults(error, { url, events: [types, others] });
  const save = (e: FormEvent) => {
    e.preventDefault();
    onSave({
      url: url.trim(),
      events: [
        ...types,
        ...others
          .split(",")
          .map((p) => p.trim())
          .filter(Boolean),
      ],
    });
  };
  return (
    <form className="form" onSubmit={save} noValidate>
      <TextInput
        label={t("events.webhooks.url")}
        description={t("events.webhooks.urlHow")}
        type="url"
        required
        value={url}
        error={at("url")}
        onChange={(e) => setUrl(e.currentTarget.value)}
      />
      <Checkbox.Group
        label={t("events.webhooks.events")}
        description={t("events.webhooks.eventsHow")}
        error={at("events")}
        value={types}
        onChange={setTypes}>
        <div className="checks">
          {eventTypes.map((type) => (
            <Checkbox key={type} value={type} label={type} />
          ))}
        </div>
      </Checkbox.Group>
      <TextInput
        label={t("events.webhooks.others")}
        description={t("events.webhooks.othersHow")}
        value={others}
        onChange={(e) => setOthers(e.currentTarget.value)}
      />
      {Boolean(error) && issues.length === 0 && <ErrorNote error={error} />}
      <div className="row">
        <Button type="submit" variant="filled" loading={pending}>
          {action}
        </Button>
      </div>
    </form>
  );
};
