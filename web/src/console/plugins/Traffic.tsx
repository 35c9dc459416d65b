// The calls to a plugin, or to one of its instances, in the last hour and day.
import { useQuery } from "@tanstack/react-query";
import { api, data, type Schemas } from "../../api/client";
import { language } from "../../text";
import { formatDuration, formatExact, formatNumber, formatShare } from "../../text/format";
import { Chart } from "../kit/Chart";
import { ErrorNote } from "../kit/ErrorNote";
import { Section } from "../kit/Page";
import { Bar } from "../kit/Pending";
import { t } from "../text";

export const Traffic = ({ slug, installationId }: { slug: string; installationId?: string }) => {
  const query = useQuery({
    queryKey: ["plugins", slug, "traffic", installationId],
    queryFn: () => data(api.GET("/api/v1/admin/plugins/{slug}/traffic", { params: { path: { slug }, ...(installationId ? { query: { installationId } } : {}) } })),
    refetchInterval: 15_000,
  });
  if (query.isError && !query.data) return <Section title={t("plugins.traffic.title")}><ErrorNote error={query.error} retry={() => void query.refetch()} /></Section>;
  return (
    <Section title={t("plugins.traffic.title")}>
      <div className="charts">
        {(["hour", "day"] as const).map((span) => (query.data ? <Span key={span} span={span} traffic={query.data[span]} /> : <Bar key={span} height={140} />))}
      </div>
      {query.data && <p className="soft small" style={{ margin: 0 }}>{t("plugins.traffic.since", { at: formatExact(query.data.countedSince) })}</p>}
    </Section>
  );
};

const clock = new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit" });

const Span = ({ span, traffic }: { span: "hour" | "day"; traffic: Schemas["TrafficHour"] | Schemas["TrafficDay"] }) => {
  const { calls, errors, errorShare, p95Ms } = traffic;
  if (calls === 0) return <div><h3>{t(`plugins.traffic.${span}`)}</h3><p className="soft" style={{ margin: 0 }}>{t("plugins.traffic.none")}</p></div>;
  const summary = <>{t.count("plugins.traffic.calls", calls)} · <span className={errors > 0 ? "fault" : undefined}>{t("plugins.traffic.errors", { n: formatNumber(errors), share: formatShare(errorShare ?? 0) })}</span>{p95Ms !== null && p95Ms !== undefined && <> · {t("plugins.traffic.p95", { time: formatDuration(p95Ms) })}</>}</>;
  return (
    <Chart
      title={t(`plugins.traffic.${span}`)} summary={summary} points={traffic.points.map((p) => ({ at: p.at, value: p.calls, bad: p.errors }))}
      tableTitle={t("plugins.traffic.table")} columns={[t("plugins.traffic.at"), t("plugins.traffic.callsHead"), t("plugins.traffic.errorsHead")]}
      timeOf={(at) => clock.format(new Date(at))} numberOf={formatNumber} mostOf={(n) => t("plugins.traffic.most", { n: formatNumber(n) })}
    />
  );
};
