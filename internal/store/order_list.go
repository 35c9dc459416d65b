package store

import (
	"cmp"
	"context"

	"stoa/internal/account"
	"stoa/internal/base/reqctx"
	"stoa/internal/data/database"
	"stoa/internal/shop/order"
)

// FindOrders implements order.Store.
func (s *Orders) FindOrders(ctx context.Context, q order.Query) ([]order.Listed, int, error) {
	where := orderWhere(q)
	var total int
	if follow(&where, "o", ">", q.After) {
		q.Sort, q.Offset = "", 0
	} else if err := s.Read.QueryRowContext(ctx,
		`SELECT count(*) FROM orders o`+where.String(), where.Args()...).Scan(&total); err != nil {
		return nil, 0, err
	}
	// Whole rows are read for the page only, not for those that an offset skips.
	const join = ` JOIN products p ON p.id = o.product_id`
	by := orderOrders.by(q.Sort, "-created")
	page, args := where.Page(q.Limit, q.Offset)
	list, err := database.All(ctx, s.Read, func(row database.Scanner) (o order.Listed, err error) {
		o.Order, err = scanOrder(row, append([]any{
			&o.ProductSlug, &o.ProductName, &o.UserEmail, database.ScanMillis(&o.ExpiresAt), &o.Back, &o.Periods, &o.Followed,
			&o.Paid,
		}, scanBill(&o.Bill)...)...)
		return o, err
	}, `
		SELECT `+orderColumns+`, p.slug, p.name, coalesce(u.email, ''), l.expires_at_ms,
			(SELECT CAST(coalesce(sum(m.refunded_minor), 0) AS BIGINT) FROM payments m WHERE m.order_id = o.id),
			(SELECT count(*) FROM payments m WHERE m.order_id = o.id),
			EXISTS (SELECT 1 FROM orders f WHERE f.license_id = o.license_id AND f.kind <> '' AND f.status = 'paid'),
			COALESCE(paid.minor, 0), `+billColumns+`
		FROM (SELECT o.id FROM orders o`+join+where.String()+by+page+`) page
		JOIN orders o ON o.id = page.id`+join+` JOIN licenses l ON l.id = o.license_id LEFT JOIN users u ON u.id = o.user_id
		LEFT JOIN payments paid ON paid.order_id = o.id AND paid.seq = 1`+by, args...)
	if err != nil {
		return nil, 0, err
	}
	products := make(map[string]bool)
	for _, o := range list {
		products[o.ProductID] = true
	}
	sold, err := termsOf(ctx, s.Read, products)
	for i, o := range list {
		list[i].TierName = cmp.Or(sold[o.ProductID].tiers[o.TierID], o.TierID)
		list[i].RefundDays = sold[o.ProductID].refundDays
	}
	return list, total, err
}

// exceptOf returns whose bills are not searched: those of people who left, or nobody's.
func exceptOf(former bool) string {
	if former {
		return reqctx.Deleted
	}
	return ""
}

// orderWhere returns the conditions of a query.
func orderWhere(q order.Query) (w database.Where) {
	if q.ID != "" {
		w.And(`o.id = $1`, q.ID)
	}
	switch {
	case q.Search != "" && q.Masked:
		w.And(`(o.id LIKE $2 ESCAPE '~' OR o.license_id LIKE $2 ESCAPE '~' OR o.user_id LIKE $2 ESCAPE '~'
			OR o.product_id IN (SELECT id FROM products WHERE slug LIKE $1 ESCAPE '~'))`, search(q.Search)[:2]...)
	case q.Search != "":
		w.And(`((o.billing_email_key LIKE $1 ESCAPE '~' OR o.billing_name_key LIKE $1 ESCAPE '~'
				OR o.billing_company_key LIKE $1 ESCAPE '~') AND o.user_id <> $4 OR o.id LIKE $2 ESCAPE '~'
				OR o.license_id LIKE $2 ESCAPE '~'
			OR o.user_id IN (SELECT id FROM users WHERE id LIKE $2 ESCAPE '~' OR email_key LIKE $1 ESCAPE '~')
			OR o.product_id IN (SELECT id FROM products WHERE slug LIKE $1 ESCAPE '~')
			OR o.license_id IN (SELECT id FROM licenses WHERE key_tail = $3))`,
			append(searchBy(q.Search, q.NoTails), exceptOf(q.NoFormer))...)
	}
	if q.Status != "" {
		w.And(`o.status = $1`, string(q.Status))
	}
	if q.Product != "" {
		w.And(`o.product_id = (SELECT id FROM products WHERE slug = $1)`, q.Product)
	}
	if q.UserID != "" {
		w.And(`o.user_id = $1`, q.UserID)
	}
	if q.Email != "" && q.Masked {
		w.And(`1 = 0`)
	} else if q.Email != "" {
		// Each address is compared by the key that its own table keeps.
		w.And(`(o.billing_email_key = $1 AND o.user_id <> $3 OR o.user_id = (SELECT id FROM users WHERE email_key = $2))`,
			order.EmailKey(q.Email), account.Key(q.Email), exceptOf(q.NoFormer))
	}
	if !q.From.IsZero() {
		w.And(`o.created_at_ms >= $1`, q.From.UnixMilli())
	}
	if !q.To.IsZero() {
		w.And(`o.created_at_ms < $1`, q.To.UnixMilli())
	}
	return w
}
