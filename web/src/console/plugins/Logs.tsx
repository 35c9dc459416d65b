import { Button, Select, TextInput } from "@mantine/core";
import { IconPlayerPause, IconPlayerPlay, IconSearch } from "../kit/icons";
import { memo, useEffect, useMemo, useRef, useState } from "react";
import { formatExact } from "../../text/format";
import { ErrorNote } from "../kit/ErrorNote";
import { Section } from "../kit/Page";
import { State } from "../kit/values";
import { t } from "../text";
import { useLog, type LogEntry } from "./useLog";

const levels = ["debug", "info", "warn", "error"] as const;
const shownAtMost = 500;

export const Logs = ({
  slug,
  installationId,
  external,
}: {
  slug: string;
  installationId: string;
  external: boolean;
}) => {
  const [paused, setPaused] = useState(false);
  const [text, setText] = useState("");
  const [level, setLevel] = useState<(typeof levels)[number]>("debug");
  const { entries, state, error } = useLog(slug, installationId, !external && !paused);
  const shown = useMemo(() => {
    const wanted = text.trim().toLowerCase();
    return entries.filter(
      (e) =>
        levels.indexOf(e.level) >= levels.indexOf(level) &&
        (wanted === "" || `${e.message} ${e.error ?? ""} ${e.requestId ?? ""}`.toLowerCase().includes(wanted)),
    );
  }, [entries, text, level]);
  if (external)
    return (
      <Section title={t("plugins.views.log")}>
        <p className="soft" style={{ margin: 0 }}>
          {t("plugins.log.external")}
        </p>
      </Section>
    );
  return (
    <Section
      title={t("plugins.views.log")}
      actions={<Following paused={paused} state={state} onPause={() => setPaused(!paused)} />}>
      <div className="list-bar" role="search">
        <TextInput
          className="search"
          type="search"
          aria-label={t("plugins.log.filter")}
          placeholder={t("plugins.log.filter")}
          leftSection={<IconSearch size={16} stroke={1.5} />}
          value={text}
          onChange={(e) => setText(e.currentTarget.value)}
        />
        <Select
          aria-label={t("plugins.log.level")}
          w={160}
          data={levels.map((value) => ({ value, label: t(`plugins.log.levels.${value}`) }))}
          value={level}
          onChange={(value) => setLevel(value as typeof level)}
        />
      </div>
      {error !== null && state !== "live" && <ErrorNote error={error} />}
      <Lines
        entries={shown.slice(-shownAtMost)}
        follow={!paused}
        empty={entries.length === 0 ? t("plugins.log.empty") : t("plugins.log.noMatch")}
      />
      <p className="soft small" style={{ margin: 0 }}>
        {shown.length > shownAtMost
          ? t("plugins.log.last", { shown: shownAtMost, of: shown.length })
          : t.count("plugins.log.lines", shown.length)}
      </p>
    </Section>
  );
};

const Following = ({ paused, state, onPause }: { paused: boolean; state: string; onPause: () => void }) => (
  <>
    <span role="status">
      {paused ? (
        <State tone="warn">{t("plugins.log.paused")}</State>
      ) : state === "live" ? (
        <State tone="good">{t("plugins.log.live")}</State>
      ) : (
        <State tone="none">{t(state === "lost" ? "plugins.log.lost" : "plugins.log.connecting")}</State>
      )}
    </span>
    <Button
      size="xs"
      leftSection={paused ? <IconPlayerPlay size={14} stroke={1.5} /> : <IconPlayerPause size={14} stroke={1.5} />}
      onClick={onPause}>
      {t(paused ? "plugins.log.resume" : "plugins.log.pause")}
    </Button>
  </>
);

// Lines keeps the last line in view, unless somebody has scrolled up to read.
const Lines = ({ entries, follow, empty }: { entries: LogEntry[]; follow: boolean; empty: string }) => {
  const box = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  useEffect(() => {
    const el = box.current;
    if (el && follow && atEnd.current) el.scrollTop = el.scrollHeight;
  }, [entries, follow]);
  const onScroll = () => {
    const el = box.current;
    if (el) atEnd.current = el.scrollHeight - el.scrollTop - el.clientHeight < 24;
  };
  return (
    <div
      ref={box}
      className="log"
      role="log"
      aria-live="off"
      aria-label={t("plugins.views.log")}
      tabIndex={0}
      onScroll={onScroll}>
      {entries.length === 0 ? (
        <p className="soft" style={{ margin: 0 }}>
          {empty}
        </p>
      ) : (
        entries.map((entry) => <Line key={entry.number} entry={entry} />)
      )}
    </div>
  );
};

const Line = memo(({ entry }: { entry: LogEntry }) => (
  <div className="log-line" data-level={entry.level}>
    <time dateTime={entry.time} title={formatExact(entry.time)}>
      {entry.time.slice(11, 23)}
    </time>
    <span className="log-level">{entry.level}</span>
    <span className="wrap">
      {entry.source === "stoa" && <span className="soft">stoa: </span>}
      {entry.file && (
        <strong>
          {entry.file}
          {entry.line ? `:${entry.line}` : ""}{" "}
        </strong>
      )}
      {entry.message}
      {entry.error && (
        <details>
          <summary>{entry.error.split("\n", 1)[0]}</summary>
          <pre>{entry.error}</pre>
        </details>
      )}
      {entry.requestId && <span className="soft small"> {entry.requestId}</span>}
    </span>
  </div>
));
