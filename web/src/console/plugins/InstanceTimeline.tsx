// What happened to an instance: what people changed of it and of its plugin, and when its
// process crashed and started again.
import { useQuery } from "@tanstack/react-query";
import { api, ok } from "../../api/client";
import { Section } from "../kit/Page";
import { History, type Entry, type Moment } from "../kit/Timeline";
import { t } from "../text";
import { placeOf } from "./Cause";
import type { Instance } from "./data";
import type { LogEntry } from "./useLog";

const most = 20; // crashes
const close = 2_000; // ms between what is one crash: two clocks read it

export const InstanceTimeline = ({ instance }: { instance: Instance }) => {
  const { pluginSlug: slug, installationId, createdAt } = instance;
  // stoa's log knows all crashes since it started, the instance the last one before that.
  const log = useQuery({
    queryKey: ["plugins", slug, "log", installationId],
    queryFn: async () => {
      const path = "/api/v1/admin/plugins/{slug}/instances/{installationId}/logs" as const;
      const answer = await ok(api.GET(path, { params: { path: { slug, installationId } } }));
      return typeof answer === "object" ? answer.data.items : [];
    },
  });
  const last = instance.runtime.lastError;
  const isLast = (at: string) => last !== undefined && Math.abs(Date.parse(at) - Date.parse(last.at)) < close;
  const known = processMoments(log.data ?? [], isLast);
  if (last) known.push({ at: last.at, what: crash(last) }); // it says more than the log
  // Of the plugin, what the instance has seen, and nothing about its secret.
  const mine = ({ at, target, action }: Entry) =>
    target.type === "instance" || (at >= createdAt && !action.startsWith("plugin.secret"));
  return (
    <Section title={t("plugins.timeline.title")}>
      <History targets={[`instance:${installationId}`, `plugin:${slug}`]} moments={known} only={mine} />
    </Section>
  );
};

// processMoments leaves out the crash that the instance knows itself.
const processMoments = (entries: LogEntry[], isLast: (at: string) => boolean): Moment[] => {
  const moments: Moment[] = [];
  let down = false;
  for (const { time, level, source, message, error, file, line } of entries) {
    if (source !== "stoa") continue;
    if (level === "error") {
      const said = error?.split("\n")[0] ?? message;
      if (!isLast(time))
        moments.push({
          at: time,
          what: crash({ message: said, ...(file ? { file } : {}), ...(line ? { line } : {}) }),
        });
      down = true;
    } else if (down && message === "plugin process ready") {
      moments.push({ at: time, what: t("plugins.timeline.again") });
      down = false;
    }
  }
  return moments.slice(-most);
};

const crash = (error: { message: string; file?: string; line?: number }) => (
  <>
    {t("plugins.timeline.crashed")} <code>{[error.message, placeOf(error)].filter(Boolean).join(" · ")}</code>
  </>
);
