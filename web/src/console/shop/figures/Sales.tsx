import { formatNumber } from "../../../text/format";
import { Chart } from "../../kit/Chart";
import { Section, Summary } from "../../kit/Page";
import { t } from "../../text";
import { formatAmount } from "./amount";
import type { Revenue, Sum } from "./data";
import { daysOf, nameOfDay } from "./period";

interface SalesProps {
  sum: Sum;
  daily: Revenue | undefined; // the report by day, unless the period is too long for it
}

// Sales are the sums of a currency, and what was paid on each day.
export const Sales = ({ sum, daily }: SalesProps) => {
  const { currency } = sum;
  const money = (amount: number) => formatAmount(amount, currency);
  return (
    <Section title={t("shop.figures.salesIn", { currency })}>
      <Summary
        facts={[
          [t("shop.figures.gross"), money(sum.gross)],
          [t("shop.figures.refunds"), money(sum.refunds)],
          [t("shop.figures.tax"), money(sum.tax)],
          [t("shop.figures.net"), <strong>{money(sum.net)}</strong>],
          [t("shop.figures.discount"), money(sum.discount)],
          [t("shop.nav.orders"), formatNumber(sum.orders)],
        ]}
      />
      {daily && <Chart label={t("shop.figures.chart", { currency })} height={96} bars={barsOf(daily, currency)} />}
    </Section>
  );
};

const barsOf = (daily: Revenue, currency: string) => {
  const rows = new Map(daily.rows.filter((row) => row.currency === currency).map((row) => [row.key, row]));
  return daysOf(daily).map((day) => {
    const { gross = 0, orders = 0 } = rows.get(day) ?? {};
    return {
      at: day,
      name: nameOfDay(day),
      value: gross,
      text: `${formatAmount(gross, currency)} · ${t.count("overview.orders", orders)}`,
    };
  });
};
