// A product as a buyer sees it, before it is saved. The storefront's own page comes from
// the server and shows what is saved; this one follows the same order and look.
import { IconCheck, IconMinus, IconStarFilled } from "../../kit/icons";
import { formatMoney, formatNumber } from "../../../text/format";
import { t } from "../../text";
import type { Product } from "../types";
import type { Draft, Tier } from "./draft";
import { Markdown } from "./Markdown";

export const Preview = ({ draft: d, shown }: { draft: Draft; shown: Product["shown"] | undefined }) => (
  <article className="preview" aria-label={t("shop.preview.title")}>
    <header>
      {d.icon && <img src={d.icon} alt="" width={56} height={56} />}
      <div>
        <h2>{d.name || <span className="soft">{t("shop.preview.noName")}</span>}</h2>
        <p className="soft">{d.shortDescription}</p>
        {shown && shown.reviewCount > 0 && (
          <p className="small">
            <IconStarFilled size={12} aria-hidden />{" "}
            {t("shop.products.ratingOf", { rating: formatNumber(shown.rating), n: formatNumber(shown.reviewCount) })}
          </p>
        )}
      </div>
    </header>
    {d.screenshots.length > 0 && (
      <div className="preview-shots" tabIndex={0} role="group" aria-label={t("shop.editor.screenshots")}>
        {d.screenshots.map((shot, i) => (
          <img key={`${shot}-${i}`} src={shot} alt={t("shop.editor.screenshot", { n: i + 1 })} />
        ))}
      </div>
    )}
    <Markdown text={d.fullDescription || d.description} />
    {d.highlights.some(Boolean) && <List items={d.highlights} />}
    {d.features.map((feature, i) => (
      <section key={i}>
        <h3>{feature.title}</h3>
        {feature.description && <p>{feature.description}</p>}
        <List items={feature.items} />
      </section>
    ))}
    <section>
      <h3>{t("shop.editor.tiers")}</h3>
      <div className="preview-tiers">
        {d.pricingTiers.map((tier, i) => (
          <TierCard key={i} tier={tier} />
        ))}
      </div>
    </section>
    {d.comparison && d.comparison.rows.length > 0 && <ComparisonTable draft={d} comparison={d.comparison} />}
    {d.faq.length > 0 && (
      <section>
        <h3>{t("shop.editor.faq")}</h3>
        {d.faq.map((entry, i) => (
          <details key={i}>
            <summary>{entry.question}</summary>
            {paragraphs(entry.answer).map((text, n) => (
              <p key={n}>{text}</p>
            ))}
          </details>
        ))}
      </section>
    )}
  </article>
);

const paragraphs = (text: string): string[] => text.split(/\n{2,}/).filter((part) => part.trim() !== "");

const List = ({ items }: { items: string[] }) => (
  <ul className="ticks">
    {items.filter(Boolean).map((item, i) => (
      <li key={i}>
        <IconCheck size={14} stroke={2} aria-hidden /> {item}
      </li>
    ))}
  </ul>
);

// money writes a price that may be half typed, or none.
const money = ({ price, currency }: Tier): string => {
  if (typeof price === "string") return "–";
  if (price === 0) return t("shop.products.free");
  try {
    return formatMoney(price, currency);
  } catch {
    return `${price} ${currency}`; // not a currency yet
  }
};

const TierCard = ({ tier }: { tier: Tier }) => (
  <div className="preview-tier" data-highlighted={tier.highlighted || undefined}>
    <h4>
      {tier.name || "–"} {tier.highlighted && <span className="small soft">{t("shop.preview.recommended")}</span>}
    </h4>
    <p className="preview-price">
      {money(tier)}{" "}
      {tier.price !== 0 && tier.billingPeriod !== "one-time" && (
        <span className="soft small">{t(`shop.preview.per.${tier.billingPeriod}`)}</span>
      )}
    </p>
    {tier.description && <p className="soft">{tier.description}</p>}
    <p className="small">{t.count("shop.preview.seats", Number(tier.maxInstances) || 1)}</p>
    <List items={tier.features} />
    <span className="preview-buy">
      {tier.price !== 0 ? t("shop.preview.buy", { price: money(tier) }) : t("shop.preview.get")}
    </span>
  </div>
);

const ComparisonTable = ({
  draft,
  comparison: { columns, rows },
}: {
  draft: Draft;
  comparison: NonNullable<Draft["comparison"]>;
}) => {
  const nameOf = (id: string) => draft.pricingTiers.find((tier) => tier.id === id)?.name || id;
  return (
    <section>
      <h3>{t("shop.editor.comparison")}</h3>
      <div className="table-box" tabIndex={0} role="group" aria-label={t("shop.editor.comparison")}>
        <table className="table">
          <thead>
            <tr>
              <th scope="col">
                <span className="sr">{t("shop.editor.compared")}</span>
              </th>
              {columns.map((id) => (
                <th key={id} scope="col">
                  {nameOf(id)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, i) => (
              <tr key={i}>
                <td>{row.feature}</td>
                {columns.map((id) => (
                  <td key={id}>
                    <Cell value={row.values[id]} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
};

const Cell = ({ value }: { value: boolean | string | undefined }) =>
  typeof value === "string" ? (
    <>{value}</>
  ) : value ? (
    <IconCheck size={16} stroke={2} role="img" aria-label={t("shop.editor.yes")} />
  ) : (
    <IconMinus size={16} stroke={1.5} role="img" aria-label={t("shop.editor.no")} className="soft" />
  );
