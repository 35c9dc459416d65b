package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"stoa/internal/data/database"
	"stoa/internal/shop/license"
)

// ListLicenses implements license.Store.
func (s *Licenses) ListLicenses(ctx context.Context, q license.Query) ([]license.Listed, int, error) {
	where := licenseWhere(q)
	following := follow(&where, "l", ">", q.After)
	from := ` FROM licenses l JOIN products p ON p.id = l.product_id` + where.String()
	var total int
	if following {
		q.Sort, q.Offset = "", 0
	} else if err := s.Read.QueryRowContext(ctx, `SELECT count(*)`+from, where.Args()...).Scan(&total); err != nil {
		return nil, 0, err
	}
	// Whole rows are read for the page only, not for those that an offset skips.
	order := licenseOrders.by(q.Sort, "-created")
	page, args := where.Page(q.Limit, q.Offset)
	list, err := database.All(ctx, s.Read, func(row database.Scanner) (l license.Listed, err error) {
		var billing sql.NullString
		l.License, err = scanLicense(row, &l.ProductSlug, &l.ProductName, &l.UserEmail, &l.OrderID, &billing)
		if err != nil || !billing.Valid {
			return l, err
		}
		var billed struct{ Email string }
		if err := json.Unmarshal([]byte(billing.String), &billed); err != nil {
			return l, fmt.Errorf("store: order %s: billing_info: %w", l.OrderID, err)
		}
		l.BilledEmail = billed.Email
		return l, nil
	}, `
		SELECT `+licenseColumns+`, p.slug, p.name, coalesce(u.email, ''), coalesce(bought.id, o.id, ''),
			coalesce(bought.billing_info, o.billing_info)
		FROM (SELECT l.id`+from+order+page+`) page
		JOIN licenses l ON l.id = page.id JOIN products p ON p.id = l.product_id LEFT JOIN users u ON u.id = l.user_id
			LEFT JOIN orders o ON o.license_id = l.id AND NOT o.follows
			LEFT JOIN orders bought ON bought.license_id = l.id AND bought.follows AND bought.kind = ''
				AND bought.paid_at_ms IS NOT NULL AND bought.cancelled_at_ms IS NULL`+
		order, args...)
	if err != nil {
		return nil, 0, err
	}
	products := make(map[string]bool)
	for _, l := range list {
		products[l.License.ProductID] = true
	}
	sold, err := termsOf(ctx, s.Read, products)
	for i, l := range list {
		list[i].TierName = cmp.Or(sold[l.License.ProductID].tiers[l.License.TierID], l.License.TierID)
	}
	return list, total, err
}

// licenseWhere returns the conditions of a query, for licenses l of products p.
func licenseWhere(q license.Query) (w database.Where) {
	if q.ID != "" {
		w.And(`l.id = $1`, q.ID)
	}
	if q.KeyHash != "" {
		w.And(`l.key_hash = $1`, q.KeyHash)
	}
	if q.ProductSlug != "" {
		w.And(`p.slug = $1`, q.ProductSlug)
	}
	if q.UserID != "" {
		w.And(`l.user_id = $1`, q.UserID)
	}
	switch {
	case q.Search != "" && q.Masked:
		w.And(`(p.slug LIKE $1 ESCAPE '~' OR l.id LIKE $2 ESCAPE '~' OR l.user_id LIKE $2 ESCAPE '~'
			OR l.id IN (SELECT license_id FROM orders WHERE id LIKE $2 ESCAPE '~'))`, search(q.Search)[:2]...)
	case q.Search != "":
		w.And(`(p.slug LIKE $1 ESCAPE '~' OR l.id LIKE $2 ESCAPE '~' OR l.key_tail = $3
			OR l.user_id IN (SELECT id FROM users WHERE id LIKE $2 ESCAPE '~' OR email_key LIKE $1 ESCAPE '~')
			OR l.id IN (SELECT license_id FROM orders WHERE id LIKE $2 ESCAPE '~' OR billing_email_key LIKE $1 ESCAPE '~'
				AND user_id <> $4))`,
			append(search(q.Search), exceptOf(q.NoFormer))...)
	}
	at := q.At.UnixMilli()
	switch q.Status {
	case license.StatusActive:
		w.And(`l.revoked_at_ms IS NULL AND (l.expires_at_ms IS NULL OR l.expires_at_ms + l.leeway_ms > $1)`, at)
	case license.StatusExpired:
		w.And(`l.revoked_at_ms IS NULL AND l.expires_at_ms + l.leeway_ms <= $1`, at)
	case license.StatusRevoked:
		w.And(`l.revoked_at_ms IS NOT NULL`)
	}
	return w
}
