// Streams of server-sent events, followed: read with fetch, because an EventSource cannot send the token.
import { asProblem, Problem } from "../../api/problem";

export type Following = "connecting" | "live" | "lost";

interface Stream<T> {
  ask: () => Promise<{ data?: unknown; response: Response }>;
  // add takes the data of events, those that came together in one go.
  add: (batch: T[]) => void;
  tell: (state: Following, error: unknown) => void;
  // over says that nothing more is wanted, once a stream has ended.
  over?: () => boolean;
  signal: AbortSignal;
}

// follow asks again when a stream ends, later and later while none comes, until it is over, aborted or refused.
export const follow = async <T>({ ask, add, tell, over = () => false, signal }: Stream<T>) => {
  for (let wait = 1_000; !signal.aborted; wait = Math.min(wait * 2, 15_000)) {
    let error: unknown = null;
    try {
      const { data, response } = await ask();
      if (!response.ok || !data) throw new Problem(response.status, "", "", response.headers.get("X-Request-Id") ?? "");
      tell("live", null);
      wait = 500;
      await readEvents(data as ReadableStream<Uint8Array<ArrayBuffer>>, add);
    } catch (cause) {
      if (signal.aborted) return;
      error = asProblem(cause);
    }
    if (signal.aborted || over()) return;
    const refused = error instanceof Problem && error.status >= 400 && error.status < 500;
    tell(refused ? "connecting" : "lost", error);
    if (refused) return;
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
};

// readEvents hands over the data of a stream's events until it ends.
const readEvents = async <T>(stream: ReadableStream<Uint8Array<ArrayBuffer>>, add: (batch: T[]) => void) => {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    const events = (rest + next.value).split(/\r?\n\r?\n/);
    rest = events.pop() ?? "";
    const batch = events.map((event) => dataOf<T>(event)).filter((e): e is NonNullable<typeof e> => e !== null);
    if (batch.length > 0) add(batch);
  }
};

const dataOf = <T>(event: string): T | null => {
  const text = event
    .split(/\r?\n/)
    .filter((line) => line.startsWith("data:"))
    .map((line) => line.slice(5).replace(/^ /, ""))
    .join("\n");
  if (text === "") return null;
  try {
    return JSON.parse(text) as T;
  } catch {
    return null;
  }
};
