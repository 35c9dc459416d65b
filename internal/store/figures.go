package store

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"stoa/internal/data/database"
	"stoa/internal/operate/figures"
)

// Figures implements figures.Store.
type Figures struct{ database.Conn }

var _ figures.Store = (*Figures)(nil)

// NewFigures returns the figures of db.
func NewFigures(db *database.DB) *Figures { return &Figures{db.Conn()} }

// reportKeys are the columns by which sales_days is added up, and the key that rows show.
var reportKeys = map[figures.By]struct{ group, key string }{
	figures.ByDay:     {`day`, `''`},
	figures.ByProduct: {`product_id`, `p.slug`},
	figures.ByTier:    {`product_id, tier_id`, `p.slug || '/' || s.tier_id`},
	figures.ByCountry: {`country`, `s.country`},
	figures.ByCode:    {`code`, `s.code`},
}

// Revenue implements figures.Store.
func (s *Figures) Revenue(ctx context.Context, q figures.Query, test bool) ([]figures.Sum, error) {
	by := reportKeys[q.By]
	var where database.Where
	where.And(`day >= $1 AND day <= $2`, q.From.UnixMilli()/dayMillis, q.To.UnixMilli()/dayMillis)
	if !test {
		where.And(`NOT test`)
	}
	if q.Product != "" {
		where.And(`product_id = (SELECT id FROM products WHERE slug = $1)`, q.Product)
	}
	// Added up first, so that products are looked up for few rows.
	first, join := `0`, ``
	switch q.By {
	case figures.ByDay:
		first = `s.day`
	case figures.ByProduct, figures.ByTier:
		join = ` JOIN products p ON p.id = s.product_id`
	default:
	}
	rows, err := database.All(ctx, s.Read, func(row database.Scanner) (sum figures.Sum, err error) {
		var day int64
		err = row.Scan(&day, &sum.Key, &sum.Currency, &sum.Orders, &sum.Gross, &sum.Discount, &sum.Refunds, &sum.Tax)
		if q.By == figures.ByDay {
			sum.Key = time.UnixMilli(day * dayMillis).UTC().Format(time.DateOnly)
		}
		return sum, err
	}, `
		SELECT `+first+`, `+by.key+`, s.currency, s.orders, s.gross, s.discount, s.refunds, s.tax
		FROM (
			SELECT `+by.group+`, currency, CAST(sum(orders) AS BIGINT) AS orders, CAST(sum(gross_minor) AS BIGINT) AS gross,
				CAST(sum(discount_minor) AS BIGINT) AS discount, CAST(sum(refunds_minor) AS BIGINT) AS refunds,
				CAST(sum(tax_minor) AS BIGINT) AS tax
			FROM sales_days`+where.String()+`
			GROUP BY `+by.group+`, currency
		) s`+join+`
		WHERE s.orders <> 0 OR s.gross <> 0 OR s.discount <> 0 OR s.refunds <> 0 OR s.tax <> 0`, where.Args()...)
	slices.SortFunc(rows, func(a, b figures.Sum) int {
		return cmp.Or(strings.Compare(a.Key, b.Key), strings.Compare(a.Currency, b.Currency))
	})
	return rows, err
}

// begun is the condition that an order is not the change of the license l that waits for its next period.
func begun(order string) string {
	return `(l.next_terms = '' OR l.next_terms NOT LIKE '%"' || ` + order + `.id || '"%')`
}

// paidSubscriptions are the orders of subscriptions that were paid. The license is l, and t what a further order of it did.
const paidSubscriptions = `
	FROM orders o
	JOIN licenses l ON l.id = o.license_id
	LEFT JOIN order_terms t ON t.order_id = o.id
	WHERE o.billing_period IN ('monthly', 'yearly') AND o.paid_at_ms IS NOT NULL AND o.cancelled_at_ms IS NULL
		AND (CAST($1 AS BOOLEAN) OR o.provider <> 'test')`

// Recurring implements figures.Store. Of the orders of a license, the one that took effect last says what it costs, and
// the latest payment with tax for any of them how much of that is tax: what is changed for the next period costs nothing.
func (s *Figures) Recurring(ctx context.Context, now time.Time, test bool) ([]figures.Recurring, error) {
	return database.All(ctx, s.Read, func(row database.Scanner) (r figures.Recurring, err error) {
		return r, row.Scan(&r.Currency, &r.Monthly)
	}, `
		SELECT s.currency, CAST(round(sum(CASE WHEN s.billing_period = 'yearly' THEN s.regular / 12.0 ELSE s.regular END)) AS BIGINT)
		FROM (
			SELECT o.currency, o.billing_period,
				CASE WHEN o.kind = 'change' THEN t.price_minor
					ELSE o.amount_minor + CASE WHEN o.discount_duration = 'once' THEN o.discount_minor ELSE 0 END END
				* COALESCE((SELECT 1.0 * (m.minor - m.tax_minor) / (m.minor - COALESCE(m.tax_added_minor, 0)) FROM payments m
					JOIN orders b ON b.id = m.order_id
					WHERE b.license_id = o.license_id AND m.tax_minor > 0 AND m.minor > m.tax_minor
					ORDER BY m.at_ms DESC, m.order_id, m.seq DESC LIMIT 1), 1) AS regular
			`+paidSubscriptions+` AND o.refunded_at_ms IS NULL AND l.revoked_at_ms IS NULL
				AND (o.amount_minor > 0 OR o.kind = 'change')
				AND (l.expires_at_ms IS NULL OR l.expires_at_ms > $2) AND `+begun("o")+`
				AND NOT EXISTS (
					SELECT 1 FROM orders n
					WHERE n.license_id = o.license_id AND n.kind <> '' AND n.billing_period IN ('monthly', 'yearly')
						AND n.paid_at_ms IS NOT NULL AND n.cancelled_at_ms IS NULL AND n.refunded_at_ms IS NULL AND `+begun("n")+`
						AND (n.paid_at_ms > o.paid_at_ms OR n.paid_at_ms = o.paid_at_ms AND (o.kind = '' OR n.id > o.id)))
		) s
		GROUP BY s.currency ORDER BY s.currency`, test, database.Millis(now))
}

// Churn implements figures.Store.
func (s *Figures) Churn(ctx context.Context, from, to time.Time, test bool) (p figures.Part, err error) {
	err = s.Read.QueryRowContext(ctx, `
		SELECT count(*), count(CASE WHEN NOT (`+activeAt("$3")+`) THEN 1 END)
		`+paidSubscriptions+` AND o.kind = '' AND o.amount_minor > 0 AND o.paid_at_ms <= $2 AND `+activeAt("$2"),
		test, database.Millis(from), database.Millis(to)).Scan(&p.All, &p.Part)
	return p, err
}

// activeAt is the condition that the license l was neither revoked nor over at a time.
func activeAt(at string) string {
	return `(l.revoked_at_ms IS NULL OR l.revoked_at_ms > ` + at + `) AND (l.expires_at_ms IS NULL OR l.expires_at_ms > ` + at + `)`
}

// Trials implements figures.Store.
func (s *Figures) Trials(ctx context.Context, from, to time.Time) (p figures.Part, err error) {
	err = s.Read.QueryRowContext(ctx, `
		SELECT count(*), count(CASE WHEN EXISTS (
			SELECT 1 FROM orders f
			WHERE f.license_id = o.license_id AND f.follows AND f.paid_at_ms IS NOT NULL AND f.cancelled_at_ms IS NULL) THEN 1 END)
		FROM orders o WHERE o.trial AND o.created_at_ms >= $1 AND o.created_at_ms < $2`,
		database.Millis(from), database.Millis(to)).Scan(&p.All, &p.Part)
	return p, err
}
