// The overview answers three questions, from top to bottom: is everything well, what
// happened lately, what wants attention. It shows its parts in that order, whichever answer
// comes first: what is shown stays where it is.
import { SegmentedControl } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Schemas } from "../../api/client";
import { formatDuration, formatNumber, formatShare } from "../../text/format";
import { CallCharts } from "../kit/CallCharts";
import { ErrorNote } from "../kit/ErrorNote";
import { accountQuery, may } from "../kit/may";
import { mayOpen, PageLink } from "../kit/pages";
import { Page, Section } from "../kit/Page";
import { State, Time } from "../kit/values";
import { t } from "../text";
import { Advice } from "./Advice";
import { addressOf, type Concern } from "./concerns";
import { latestQuery, overviewQuery, systemQuery, trafficQuery } from "./data";
import { Latest } from "./Latest";
import { Outline, OutlineOfLists } from "./Outline";
import { useProgress } from "./progress";
import { ShopCharts, type Range } from "./charts";

type Part = Schemas["System"]["health"][number];

export const OverviewPage = () => {
  const progress = useProgress();
  const [range, setRange] = useState<Range>("day");
  const overview = useQuery(overviewQuery);
  const system = useQuery({ ...systemQuery, enabled: may("system:read") });
  const traffic = useQuery(trafficQuery);
  const latest = useQuery({ ...latestQuery, enabled: may("orders:read") });
  const account = useQuery(accountQuery);
  if (overview.isError)
    return (
      <Page title={t("overview.title")}>
        <ErrorNote error={overview.error} retry={() => void overview.refetch()} />
      </Page>
    );
  // What is at the top may have any height, so nothing is shown below until it is known.
  if (overview.isPending || system.isLoading || progress.isLoading || account.isPending)
    return (
      <Page title={t("overview.title")}>
        <Outline />
      </Page>
    );
  const { attention } = overview.data;
  const ranges = (["day", "month"] as const).map((value) => ({ value, label: t(`overview.${value}`) }));
  return (
    <Page title={t("overview.title")}>
      {system.data && <Health parts={system.data.health} concerns={attention} />}
      {system.isError && <ErrorNote error={system.error} />}
      {account.data && <Advice factor={account.data.secondFactor} />}
      {progress.data?.products === 0 && mayOpen("/welcome") && (
        <p className="note">
          {t("overview.welcome.banner")} <Link to="/welcome">{t("overview.welcome.bannerGo")}</Link>
        </p>
      )}
      <Section
        title={t("overview.lately")}
        actions={
          <SegmentedControl
            size="xs"
            aria-label={t("overview.range")}
            value={range}
            onChange={(value) => setRange(value as Range)}
            data={ranges}
          />
        }>
        <div className="charts">
          <ShopCharts buckets={range === "day" ? overview.data.hours : overview.data.days} />
          {!traffic.isError && <CallCharts traffic={traffic.data} />}
        </div>
        {traffic.isError && <ErrorNote error={traffic.error} />}
        {overview.data.demo && !traffic.isPending && <p className="soft">{t("overview.demo")}</p>}
      </Section>
      {traffic.isPending || latest.isLoading ? (
        <OutlineOfLists />
      ) : (
        <>
          {may("orders:read") && <Latest />}
          <Attention concerns={attention} />
          {traffic.data && traffic.data.plugins.length > 0 && <Busiest plugins={traffic.data.plugins} />}
        </>
      )}
    </Page>
  );
};

// Health is one line: all is well, or what is not, with the way to it.
const Health = ({ parts, concerns }: { parts: Part[]; concerns: Concern[] }) => {
  const broken = parts.filter((part) => !part.ok);
  const errors = concerns.filter((c) => c.severity === "error");
  if (broken.length === 0 && errors.length === 0) {
    return (
      <p className="note" data-tone="good" role="status">
        {t("overview.well", { parts: parts.map((p) => p.name).join(", ") })}
      </p>
    );
  }
  return (
    <div className="note" data-tone="bad" role="status">
      {broken.map((part) => (
        <p key={part.name}>
          <Link to="/settings/health">
            <strong>{part.name}</strong>
          </Link>
          : {part.message} (<Time at={part.since} />)
        </p>
      ))}
      {errors.slice(0, 3).map((c, i) => (
        <p key={i}>
          <PageLink to={addressOf(c)}>{c.message}</PageLink> (<Time at={c.since} />)
        </p>
      ))}
    </div>
  );
};

const Attention = ({ concerns }: { concerns: Concern[] }) => (
  <Section title={t("overview.attention")}>
    {concerns.length === 0 ? (
      <p className="soft" style={{ margin: 0 }}>
        {t("overview.nothing")}
      </p>
    ) : (
      <ul className="rows">
        {concerns.map((c, i) => (
          <li key={i}>
            <State tone={c.severity === "error" ? "bad" : "warn"}>{t(`overview.${c.severity}`)}</State>
            <PageLink to={addressOf(c)} className="wrap">
              {c.message}
            </PageLink>
            <span className="soft">
              <Time at={c.since} />
            </span>
          </li>
        ))}
      </ul>
    )}
  </Section>
);

const Busiest = ({
  plugins,
}: {
  plugins: { slug: string; hour: Schemas["TrafficSummary"]; day: Schemas["TrafficSummary"] }[];
}) => (
  <Section title={t("overview.plugins")}>
    <div className="table-box">
      <table className="table" aria-label={t("overview.plugins")}>
        <thead>
          <tr>
            {(["plugin", "calls", "errors", "p95"] as const).map((name, i) => (
              <th key={name} scope="col" className={i ? "end" : undefined}>
                {t(`overview.${name}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {plugins.map(({ slug, day }) => (
            <tr key={slug}>
              <td>
                <PageLink className="row-link" to={`/plugins/${slug}`}>
                  {slug}
                </PageLink>
              </td>
              <td className="end">{formatNumber(day.calls)}</td>
              <td className="end">{formatShare(day.errorShare)}</td>
              <td className="end">{day.p95Ms === null ? "–" : formatDuration(day.p95Ms)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </Section>
);
