// The calls to a plugin, or to one of its instances, in the last hour and day.
import { useQuery } from "@tanstack/react-query";
import { api, data } from "../../api/client";
import { formatExact } from "../../text/format";
import { CallCharts } from "../kit/CallCharts";
import { ErrorNote } from "../kit/ErrorNote";
import { Section } from "../kit/Page";
import { t } from "../text";

export const Traffic = ({ slug, installationId }: { slug: string; installationId?: string }) => {
  const query = useQuery({
    queryKey: ["plugins", slug, "traffic", installationId],
    queryFn: () =>
      data(
        api.GET("/api/v1/admin/plugins/{slug}/traffic", {
          params: { path: { slug }, ...(installationId ? { query: { installationId } } : {}) },
        }),
      ),
    refetchInterval: 15_000,
  });
  if (query.isError && !query.data)
    return (
      <Section title={t("plugins.traffic.title")}>
        <ErrorNote error={query.error} retry={() => void query.refetch()} />
      </Section>
    );
  return (
    <Section title={t("plugins.traffic.title")}>
      <div className="charts">
        <CallCharts traffic={query.data} />
      </div>
      {query.data && (
        <p className="soft small" style={{ margin: 0 }}>
          {t("plugins.traffic.since", { at: formatExact(query.data.countedSince) })}
        </p>
      )}
    </Section>
  );
};
