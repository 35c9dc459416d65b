// What was sold in a period, and how subscriptions and trials go. All that is chosen is in the address.
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { Empty } from "../../kit/Empty";
import { ErrorNote } from "../../kit/ErrorNote";
import { Page, Section } from "../../kit/Page";
import { Bar } from "../../kit/Pending";
import { useListSearch } from "../../kit/useListSearch";
import { t } from "../../text";
import { ShopNav } from "../ShopNav";
import { bys, revenueQuery, type Asked, type Revenue } from "./data";
import { Filters } from "./Filters";
import { faultOf, hasDays, periodOf } from "./period";
import { Sales } from "./Sales";
import { Subscriptions } from "./Subscriptions";
import { SumsTable } from "./SumsTable";

export const FiguresPage = () => {
  const { search } = useListSearch();
  const { product } = search;
  const by = bys.find((one) => one === search["by"]) ?? "day";
  const period = periodOf(search);
  const fault = faultOf(period, by);
  const asked: Asked = { ...period, by, ...(product ? { product: String(product) } : {}) };
  const report = useQuery({ ...revenueQuery(asked), enabled: fault === undefined });
  const daily = useQuery({ ...revenueQuery({ ...asked, by: "day" }), enabled: fault === undefined && hasDays(period) });
  return (
    <Page title={t("shop.nav.figures")}>
      <ShopNav />
      <Filters asked={asked} fault={fault} />
      {fault === undefined && (
        <>
          <Currencies report={report} daily={hasDays(period) ? daily.data : undefined} />
          <Subscriptions period={period} ofAll={product !== undefined} />
          {report.data && report.data.rows.length > 0 && <SumsTable report={report.data} busy={report.isFetching} />}
        </>
      )}
    </Page>
  );
};

interface CurrenciesProps {
  report: UseQueryResult<Revenue>;
  daily: Revenue | undefined;
}

const Currencies = ({ report, daily }: CurrenciesProps) => {
  if (report.data && report.data.totals.length > 0)
    return report.data.totals.map((sum) => <Sales key={sum.currency} sum={sum} daily={daily} />);
  return (
    <Section title={t("shop.figures.sales")}>
      {report.isError ? (
        <ErrorNote error={report.error} retry={() => void report.refetch()} />
      ) : report.data ? (
        <Empty title={t("shop.figures.none")}>{t("shop.figures.noneHow")}</Empty>
      ) : (
        <Bar height={192} />
      )}
    </Section>
  );
};
