// The log of an instance, followed: a stream of server-sent events, read with fetch
// because an EventSource cannot send the token. At most the last lines are kept.
import { useEffect, useState } from "react";
import { Problem, asProblem } from "../../api/problem";
import { api, type Schemas } from "../../api/client";

export type LogEntry = Schemas["LogEntry"];
export type Following = "connecting" | "live" | "lost";

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
    const add = (batch: LogEntry[]) => {
      last = batch.at(-1)?.number ?? last;
      setEntries((now) => {
        const from = now.at(-1)?.number ?? 0;
        return [...now, ...batch.filter((e) => e.number > from)].slice(-kept);
      });
    };
    const run = async () => {
      for (let wait = 1_000; !stop.signal.aborted; wait = Math.min(wait * 2, 15_000)) {
        try {
          const query = { follow: "true" as const, ...(last > 0 ? { after: last } : {}) };
          const answer = await api.GET(path, {
            params: { path: { slug, installationId }, query },
            parseAs: "stream",
            signal: stop.signal,
          });
          if (!answer.response.ok || !answer.data)
            throw new Problem(answer.response.status, "", "", answer.response.headers.get("X-Request-Id") ?? "");
          setState("live");
          setError(null);
          wait = 500;
          await readEvents(answer.data as ReadableStream<Uint8Array<ArrayBuffer>>, add);
        } catch (cause) {
          if (stop.signal.aborted) return;
          if (cause instanceof Problem && cause.status >= 400 && cause.status < 500) {
            setError(cause);
            return;
          }
          setError(asProblem(cause));
        }
        if (stop.signal.aborted) return;
        setState("lost");
        await new Promise((resolve) => setTimeout(resolve, wait));
      }
    };
    setState("connecting");
    void run();
    return () => stop.abort();
  }, [slug, installationId, follow]);
  return { entries, state, error };
};

// readEvents hands over the entries of a stream until it ends, those that came together
// in one go.
const readEvents = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>, add: (batch: LogEntry[]) => void) => {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    const events = (rest + next.value).split(/\r?\n\r?\n/);
    rest = events.pop() ?? "";
    const batch = events.map(entryOf).filter((e): e is LogEntry => e !== null);
    if (batch.length > 0) add(batch);
  }
};

const entryOf = (event: string): LogEntry | null => {
  const text = event
    .split(/\r?\n/)
    .filter((line) => line.startsWith("data:"))
    .map((line) => line.slice(5).replace(/^ /, ""))
    .join("\n");
  if (text === "") return null;
  try {
    return JSON.parse(text) as LogEntry;
  } catch {
    return null;
  }
};
