// What happened to a plugin: what people changed, and what stoa sent to it.
import { useQuery } from "@tanstack/react-query";
import { api, data } from "../../api/client";
import { Section } from "../kit/Page";
import { State, Time } from "../kit/values";
import { t } from "../text";

interface Entry { at: string; key: string; what: React.ReactNode }

export const Timeline = ({ slug }: { slug: string }) => {
  const audit = useQuery({
    queryKey: ["plugins", slug, "audit"],
    queryFn: () => data(api.GET("/api/v1/admin/audit", { params: { query: { target: `plugin:${slug}`, limit: 10 } } })),
  });
  const hooks = useQuery({
    queryKey: ["plugins", slug, "hooks", "latest"],
    queryFn: () => data(api.GET("/api/v1/admin/plugins/{slug}/hooks", { params: { path: { slug }, query: { limit: 10 } } })),
  });
  const entries: Entry[] = [
    ...(audit.data?.items ?? []).map((a) => ({ at: a.at, key: a.id, what: <><code>{a.action}</code> <span className="soft">{t("plugins.timeline.by", { who: a.actor.name ?? (a.actor.id || a.actor.kind) })}</span></> })),
    ...(hooks.data?.items ?? []).map((d) => ({ at: d.createdAt, key: d.id, what: <><code>{d.name}</code> <State tone={d.state === "dead" ? "bad" : d.state === "delivered" ? "good" : "warn"}>{t(`plugins.deliveries.${d.state}`)}</State></> })),
  ].sort((a, b) => b.at.localeCompare(a.at)).slice(0, 12);
  if (entries.length === 0) return null;
  return (
    <Section title={t("plugins.timeline.title")}>
      <ol className="timeline">{entries.map((entry) => <li key={entry.key}><span className="soft"><Time at={entry.at} /></span><span className="wrap">{entry.what}</span></li>)}</ol>
    </Section>
  );
};
