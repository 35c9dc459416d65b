package store

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"stoa/internal/data/database"
	"stoa/internal/operate/figures"
	"stoa/internal/shop/license"
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

// lasting says of a row s of subscriptions that its license is not over at the time in a parameter. ends_at_ms has no
// leeway (contract 3.7), which only those need that ended shortly before: their licenses are looked up.
func lasting(at string) string {
	longest := strconv.FormatInt(license.MaxLeeway.Milliseconds(), 10)
	return `(s.ends_at_ms IS NULL OR s.ends_at_ms > ` + at + ` OR s.ends_at_ms > ` + at + ` - ` + longest + ` AND EXISTS (
		SELECT 1 FROM licenses l
		WHERE l.id = s.license_id AND l.expires_at_ms + l.leeway_ms > ` + at + `
			AND (l.revoked_at_ms IS NULL OR l.revoked_at_ms > ` + at + `)))`
}

// Recurring implements figures.Store.
func (s *Figures) Recurring(ctx context.Context, now time.Time, test bool) ([]figures.Recurring, error) {
	return database.All(ctx, s.Read, func(row database.Scanner) (r figures.Recurring, err error) {
		var yearly float64
		err = row.Scan(&r.Currency, &yearly)
		r.Monthly = int64(math.Round(yearly / 12))
		return r, err
	}, `
		SELECT currency, sum(yearly_minor)
		FROM subscriptions s
		WHERE yearly_minor IS NOT NULL AND `+lasting("$2")+` AND (CAST($1 AS BOOLEAN) OR NOT test)
		GROUP BY currency ORDER BY currency`, test, database.Millis(now))
}

// Churn implements figures.Store.
func (s *Figures) Churn(ctx context.Context, from, to time.Time, test bool) (p figures.Part, err error) {
	err = s.Read.QueryRowContext(ctx, `
		SELECT count(*), count(CASE WHEN NOT `+lasting("$3")+` THEN 1 END)
		FROM subscriptions s
		WHERE since_ms <= $2 AND `+lasting("$2")+` AND (CAST($1 AS BOOLEAN) OR NOT test)`,
		test, database.Millis(from), database.Millis(to)).Scan(&p.All, &p.Part)
	return p, err
}

// Trials implements figures.Store.
func (s *Figures) Trials(ctx context.Context, from, to time.Time) (p figures.Part, err error) {
	err = s.Read.QueryRowContext(ctx, `
		SELECT count(*), count(CASE WHEN EXISTS (
			SELECT 1 FROM orders f
			WHERE f.license_id = o.license_id AND f.follows AND f.paid_at_ms IS NOT NULL
			AND f.cancelled_at_ms IS NULL) THEN 1 END)
		FROM orders o WHERE o.trial AND o.created_at_ms >= $1 AND o.created_at_ms < $2`,
		database.Millis(from), database.Millis(to)).Scan(&p.All, &p.Part)
	return p, err
}
