// The log of an instance, followed. At most the last lines are kept.
import { useEffect, useState } from "react";
import { api, type Schemas } from "../../api/client";
import { follow as followStream, type Following } from "../kit/stream";

export type LogEntry = Schemas["LogEntry"];

const kept = 2_000;
const path = "/api/v1/admin/plugins/{slug}/instances/{installationId}/logs";

export const useLog = (slug: string, installationId: string, follow: boolean) => {
  const [entries, setEntries] = useState<LogEntry[]>([]);
  const [state, setState] = useState<Following>("connecting");
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    if (!follow) return;
    const stop = new AbortController();
    let last = 0;
    setState("connecting");
    void followStream<LogEntry>({
      ask: () =>
        api.GET(path, {
          params: {
            path: { slug, installationId },
            query: { follow: "true" as const, ...(last > 0 ? { after: last } : {}) },
          },
          parseAs: "stream",
          signal: stop.signal,
        }),
      add: (batch) => {
        last = batch.at(-1)?.number ?? last;
        setEntries((now) => {
          const from = now.at(-1)?.number ?? 0;
          return [...now, ...batch.filter((e) => e.number > from)].slice(-kept);
        });
      },
      tell: (now, cause) => {
        setState(now);
        setError(cause);
      },
      signal: stop.signal,
    });
    return () => stop.abort();
  }, [slug, installationId, follow]);
  return { entries, state, error };
};
