import type { Schemas } from "../../api/client";
import { formatDuration, formatNumber, formatShare } from "../../text/format";
import { t } from "../text";
import { Chart, Figure } from "./Chart";

interface Traffic {
  hour: Schemas["TrafficHour"];
  day: Schemas["TrafficDay"];
}

// CallCharts are the calls to plugins in the last hour and the last day, with the share
// that failed and how quick they were. Without traffic, which is still to come, they take
// the same space.
export const CallCharts = ({ traffic }: { traffic: Traffic | undefined }) => (
  <>
    {(["hour", "day"] as const).map((name) => {
      const title = t(`traffic.${name}`);
      if (!traffic)
        return (
          <Figure key={name} title={title} total={"\u00a0"}>
            <Chart label={title} bars={[]} />
          </Figure>
        );
      const { calls, errorShare, p95Ms, points } = traffic[name];
      const note = [
        ...(calls === 0 ? [] : [t("traffic.failed", { share: formatShare(errorShare) })]),
        ...(p95Ms === null ? [] : [t("traffic.within", { time: formatDuration(p95Ms) })]),
      ].join(" · ");
      return (
        <Figure key={name} title={title} total={formatNumber(calls)} note={note}>
          <Chart
            label={title}
            bars={points.map((p) => ({
              at: p.at,
              value: p.calls,
              bad: p.errors,
              text: t("traffic.text", { calls: formatNumber(p.calls), errors: formatNumber(p.errors) }),
            }))}
          />
        </Figure>
      );
    })}
  </>
);
