package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"stoa/internal/market"
)

// ListLicenses implements market.Licenses.
func (s *Licenses) ListLicenses(ctx context.Context, q market.LicenseQuery) ([]market.ListedLicense, int, error) {
	from, args := licenseFilter(q)
	var total int
	if err := s.Read.QueryRowContext(ctx, `SELECT count(*)`+from, args...).Scan(&total); err != nil {
		return nil, 0, err
	}
	rows, err := s.Read.QueryContext(ctx, `SELECT `+licenseColumns+`, p.slug, p.name`+from+fmt.Sprintf(`
		ORDER BY l.created_at_ms DESC, l.id
		LIMIT $%d OFFSET $%d`, len(args)+1, len(args)+2), append(args, q.Limit, q.Offset)...)
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	var list []market.ListedLicense
	for rows.Next() {
		var l market.ListedLicense
		if l.License, err = scanLicense(rows, &l.ProductSlug, &l.ProductName); err != nil {
			return nil, 0, err
		}
		list = append(list, l)
	}
	return list, total, rows.Err()
}

// licenseFilter returns the FROM and WHERE clauses of a query and their
// arguments.
func licenseFilter(q market.LicenseQuery) (string, []any) {
	var (
		terms []string
		args  []any
	)
	add := func(term string, arg any) {
		args = append(args, arg)
		terms = append(terms, fmt.Sprintf(term, len(args)))
	}
	for _, f := range []struct{ term, value string }{
		{"l.id = $%d", q.ID}, {"l.key_hash = $%d", q.KeyHash}, {"p.slug = $%d", q.ProductSlug}, {"l.user_id = $%d", q.UserID},
	} {
		if f.value != "" {
			add(f.term, f.value)
		}
	}
	at := q.At.UnixMilli()
	switch q.Status {
	case market.LicenseActive:
		add("l.revoked_at_ms IS NULL AND (l.expires_at_ms IS NULL OR l.expires_at_ms > $%d)", at)
	case market.LicenseExpired:
		add("l.revoked_at_ms IS NULL AND l.expires_at_ms <= $%d", at)
	case market.LicenseRevoked:
		terms = append(terms, "l.revoked_at_ms IS NOT NULL")
	}
	from := `
		FROM licenses l JOIN products p ON p.id = l.product_id`
	if len(terms) > 0 {
		from += `
		WHERE ` + strings.Join(terms, " AND ")
	}
	return from, args
}

// ListInstances implements market.Licenses.
func (s *Licenses) ListInstances(ctx context.Context, licenseID string, p market.Slice) ([]market.Activation, int, error) {
	var total int
	if err := s.Read.QueryRowContext(ctx, `SELECT count(*) FROM license_instances WHERE license_id = $1`, licenseID).Scan(&total); err != nil {
		return nil, 0, err
	}
	rows, err := s.Read.QueryContext(ctx, `
		SELECT instance_id, development, activated_at_ms FROM license_instances
		WHERE license_id = $1
		ORDER BY activated_at_ms, instance_id
		LIMIT $2 OFFSET $3`, licenseID, p.Limit, p.Offset)
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	var list []market.Activation
	for rows.Next() {
		var (
			a  market.Activation
			at sql.NullInt64
		)
		if err := rows.Scan(&a.InstanceID, &a.Development, &at); err != nil {
			return nil, 0, err
		}
		a.At = fromMillis(at)
		list = append(list, a)
	}
	return list, total, rows.Err()
}
