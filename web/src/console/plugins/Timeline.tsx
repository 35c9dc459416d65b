// What happened to a plugin: what people changed, and what stoa sent to it.
import { useQuery } from "@tanstack/react-query";
import { api, data } from "../../api/client";
import { Section } from "../kit/Page";
import { History } from "../kit/Timeline";
import { State } from "../kit/values";
import { t } from "../text";

export const Timeline = ({ slug }: { slug: string }) => {
  const hooks = useQuery({
    queryKey: ["plugins", slug, "hooks", "latest"],
    queryFn: () =>
      data(api.GET("/api/v1/admin/plugins/{slug}/hooks", { params: { path: { slug }, query: { limit: 10 } } })),
  });
  const moments = (hooks.data?.items ?? []).map((d) => ({
    at: d.createdAt,
    what: (
      <>
        <code>{d.name}</code>{" "}
        <State tone={d.state === "dead" ? "bad" : d.state === "delivered" ? "good" : "warn"}>
          {t(`plugins.deliveries.${d.state}`)}
        </State>
      </>
    ),
  }));
  return (
    <Section title={t("plugins.timeline.title")}>
      <History targets={[`plugin:${slug}`]} moments={moments} />
    </Section>
  );
};
