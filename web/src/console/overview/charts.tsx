import type { Schemas } from "../../api/client";
import { formatMoney, formatNumber } from "../../text/format";
import { Chart, Figure, type Bar } from "../kit/Chart";
import { t } from "../text";

type Bucket = Schemas["OverviewBucket"];

export type Range = "day" | "month";

// salesOf are the sums of all buckets, by currency, the largest first.
const salesOf = (buckets: Bucket[]): [currency: string, amount: number][] => {
  const sums = new Map<string, number>();
  for (const { sales } of buckets)
    for (const { currency, amount } of sales) sums.set(currency, (sums.get(currency) ?? 0) + amount);
  return [...sums].sort(([, a], [, b]) => b - a);
};

const sum = (buckets: Bucket[], of: (b: Bucket) => number) => buckets.reduce((all, b) => all + of(b), 0);

// ShopCharts are sales, activations and registrations over a time. Sales are drawn in the
// currency of the largest sum; the others are named.
export const ShopCharts = ({ buckets }: { buckets: Bucket[] }) => {
  const [main, ...others] = salesOf(buckets);
  const salesIn = (b: Bucket, currency: string) => b.sales.find((s) => s.currency === currency)?.amount ?? 0;
  const counted = (of: (b: Bucket) => number): Bar[] =>
    buckets.map((b) => ({ at: b.from, value: of(b), text: formatNumber(of(b)) }));
  const sales: Bar[] = buckets.map((b) => {
    const amount = main ? salesIn(b, main[0]) : 0;
    return { at: b.from, value: amount, text: main ? formatMoney(amount, main[0]) : "0" };
  });
  return (
    <>
      <Figure
        title={t("overview.sales")}
        total={main ? formatMoney(main[1], main[0]) : "0"}
        note={[
          t.count(
            "overview.orders",
            sum(buckets, (b) => b.orders),
          ),
          ...others.map(([c, a]) => formatMoney(a, c)),
        ].join(" · ")}>
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
