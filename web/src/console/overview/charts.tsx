import type { ReactNode } from "react";
import type { Schemas } from "../../api/client";
import { formatDuration, formatMoney, formatNumber, formatShare } from "../../text/format";
import { Chart, type Bar } from "../kit/Chart";
import { t } from "../text";

type Bucket = Schemas["OverviewBucket"];

export type Range = "day" | "month";

const Figure = ({ title, total, note, children }: { title: string; total: string; note?: string | undefined; children: ReactNode }) => (
  <div className="figure">
    <h3>{title}</h3>
    <p className="figure-total">{total}</p>
    <p className="figure-note">{note}</p>
    {children}
  </div>
);

// salesOf are the sums of all buckets, by currency, the largest first.
const salesOf = (buckets: Bucket[]): [currency: string, amount: number][] => {
  const sums = new Map<string, number>();
  for (const { sales } of buckets) for (const { currency, amount } of sales) sums.set(currency, (sums.get(currency) ?? 0) + amount);
  return [...sums].sort(([, a], [, b]) => b - a);
};

const sum = (buckets: Bucket[], of: (b: Bucket) => number) => buckets.reduce((all, b) => all + of(b), 0);

// ShopCharts are sales, activations and registrations over a time. Sales are drawn in the
// currency of the largest sum; the others are named.
export const ShopCharts = ({ buckets }: { buckets: Bucket[] }) => {
  const [main, ...others] = salesOf(buckets);
  const salesIn = (b: Bucket, currency: string) => b.sales.find((s) => s.currency === currency)?.amount ?? 0;
  const counted = (of: (b: Bucket) => number): Bar[] => buckets.map((b) => ({ at: b.from, value: of(b), text: formatNumber(of(b)) }));
  const sales: Bar[] = buckets.map((b) => {
    const amount = main ? salesIn(b, main[0]) : 0;
    return { at: b.from, value: amount, text: main ? formatMoney(amount, main[0]) : "0" };
  });
  return (
    <>
      <Figure title={t("overview.sales")} total={main ? formatMoney(main[1], main[0]) : "0"} note={[t.count("overview.orders", sum(buckets, (b) => b.orders)), ...others.map(([c, a]) => formatMoney(a, c))].join(" · ")}>
        <Chart label={t("overview.sales")} bars={sales} />
      </Figure>
      <Figure title={t("overview.activations")} total={formatNumber(sum(buckets, (b) => b.activations))}>
        <Chart label={t("overview.activations")} bars={counted((b) => b.activations)} />
      </Figure>
      <Figure title={t("overview.registrations")} total={formatNumber(sum(buckets, (b) => b.registrations))}>
        <Chart label={t("overview.registrations")} bars={counted((b) => b.registrations)} />
      </Figure>
    </>
  );
};

interface Traffic { hour: Schemas["TrafficHour"]; day: Schemas["TrafficDay"] }

// CallCharts are the calls to plugins in the last hour and the last day, with the share
// that failed.
export const CallCharts = ({ traffic }: { traffic: Traffic }) => (
  <>
    {([["hour", traffic.hour], ["day", traffic.day]] as const).map(([name, { calls, errorShare, p95Ms, points }]) => {
      const title = t(`overview.calls_${name}`);
      const note = [t("overview.failed", { share: formatShare(errorShare) }), ...(p95Ms === null ? [] : [t("overview.within", { time: formatDuration(p95Ms) })])].join(" · ");
      return (
        <Figure key={name} title={title} total={formatNumber(calls)} note={note}>
          <Chart label={title} bars={points.map((p) => ({ at: p.at, value: p.calls, bad: p.errors, text: t("overview.callsText", { calls: formatNumber(p.calls), errors: formatNumber(p.errors) }) }))} />
        </Figure>
      );
    })}
  </>
);
