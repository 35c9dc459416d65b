import { Button } from "@mantine/core";
import { useState, type ReactNode } from "react";
import { language } from "../../../text";
import { formatNumber } from "../../../text/format";
import { Section } from "../../kit/Page";
import { PageLink } from "../../kit/pages";
import { None } from "../../kit/values";
import { t } from "../../text";
import { formatAmount } from "./amount";
import type { By, Revenue, Row } from "./data";
import { nameOfDay } from "./period";

// How many rows are shown before all are asked for.
const few = 50;

// SumsTable is the report: days with the latest first, all else with the dearest of a currency first.
export const SumsTable = ({ report, busy }: { report: Revenue; busy: boolean }) => {
  const [all, setAll] = useState(false);
  const { by } = report;
  const rows = [...report.rows].sort(by === "day" ? latestFirst : dearestFirst);
  const shown = all ? rows : rows.slice(0, few);
  const title = t(`shop.figures.by.${by}`);
  return (
    <Section title={title}>
      <div className="table-box" aria-busy={busy}>
        <table className="table" data-stack aria-label={title}>
          <thead>
            <tr>
              <th scope="col">{t(`shop.figures.key.${by}`)}</th>
              <th scope="col" className="end">
                {t("shop.nav.orders")}
              </th>
              {amounts.map((name) => (
                <th key={name} scope="col" className="end">
                  {t(`shop.figures.${name}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <Line key={`${row.key} ${row.currency}`} by={by} row={row} />
            ))}
          </tbody>
        </table>
      </div>
      {shown.length < rows.length && (
        <div className="row">
          <Button size="xs" onClick={() => setAll(true)}>
            {t("shop.figures.all", { n: formatNumber(rows.length) })}
          </Button>
        </div>
      )}
    </Section>
  );
};

const amounts = ["gross", "refunds", "tax", "net", "discount"] as const;

const latestFirst = (a: Row, b: Row) => b.key.localeCompare(a.key) || a.currency.localeCompare(b.currency);
const dearestFirst = (a: Row, b: Row) => a.currency.localeCompare(b.currency) || b.gross - a.gross;

const Line = ({ by, row }: { by: By; row: Row }) => (
  <tr>
    <td className="clip">{nameOf[by](row.key)}</td>
    <td className="end" data-name={t("shop.nav.orders")}>
      {row.orders === 0 ? <None /> : formatNumber(row.orders)}
    </td>
    {amounts.map((name) => (
      <td key={name} className="end" data-name={t(`shop.figures.${name}`)}>
        {row[name] === 0 && name !== "net" ? <None /> : formatAmount(row[name], row.currency)}
      </td>
    ))}
  </tr>
);

const nameOf: Record<By, (key: string) => ReactNode> = {
  day: nameOfDay,
  product: (slug) => <ProductLink slug={slug}>{slug}</ProductLink>,
  tier: (key) => {
    const [slug = "", tier] = key.split("/");
    return (
      <>
        <ProductLink slug={slug}>{slug}</ProductLink> <span className="soft">· {tier}</span>
      </>
    );
  },
  country: (key) =>
    (/^[A-Z]{2}$/.test(key) ? regions.of(key) : key) || <Without>{t("shop.figures.noCountry")}</Without>,
  code: (key) =>
    key ? (
      <PageLink className="row-link mono" to={`/shop/discounts?q=${encodeURIComponent(key)}`}>
        {key}
      </PageLink>
    ) : (
      <Without>{t("shop.figures.noCode")}</Without>
    ),
};

const regions = new Intl.DisplayNames(language, { type: "region" });

const ProductLink = ({ slug, children }: { slug: string; children: ReactNode }) => (
  <PageLink className="row-link" to={`/shop/products/${slug}`}>
    {children}
  </PageLink>
);

const Without = ({ children }: { children: string }) => <span className="soft">{children}</span>;
