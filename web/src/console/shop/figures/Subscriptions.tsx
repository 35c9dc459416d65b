import { useQuery } from "@tanstack/react-query";
import { formatNumber, formatShare } from "../../../text/format";
import { Figure } from "../../kit/Chart";
import { ErrorNote } from "../../kit/ErrorNote";
import { Section } from "../../kit/Page";
import { Bar } from "../../kit/Pending";
import { t } from "../../text";
import { formatAmount } from "./amount";
import { subscriptionsQuery } from "./data";
import type { Period } from "./period";

// Subscriptions says how subscriptions and trials go, always of all products.
export const Subscriptions = ({ period, ofAll }: { period: Period; ofAll: boolean }) => {
  const report = useQuery(subscriptionsQuery(period));
  const title = t(ofAll ? "shop.figures.subs.ofAll" : "shop.figures.subs.title");
  return (
    <Section title={title}>
      {report.isError ? (
        <ErrorNote error={report.error} retry={() => void report.refetch()} />
      ) : report.data ? (
        <Rates {...report.data} />
      ) : (
        <Bar height={64} />
      )}
    </Section>
  );
};

type Report = Awaited<ReturnType<NonNullable<ReturnType<typeof subscriptionsQuery>["queryFn"]>>>;

const Rates = ({ recurring, churn, trials }: Report) => (
  <div className="charts">
    <Figure
      title={t("shop.figures.subs.recurring")}
      total={recurring.map(({ currency, monthly }) => formatAmount(monthly, currency)).join(" · ") || "–"}
      note={t("shop.figures.subs.recurringHow")}
    />
    <Figure
      title={t("shop.figures.subs.ended")}
      total={churn.atStart === 0 ? "–" : formatShare(churn.rate)}
      note={t("shop.figures.subs.endedOf", { part: formatNumber(churn.ended), all: formatNumber(churn.atStart) })}
    />
    <Figure
      title={t("shop.figures.subs.bought")}
      total={trials.started === 0 ? "–" : formatShare(trials.rate)}
      note={t("shop.figures.subs.boughtOf", { part: formatNumber(trials.bought), all: formatNumber(trials.started) })}
    />
  </div>
);
