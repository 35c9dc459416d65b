package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"stoa/internal/data/database"
	"stoa/internal/shop/license"
	"stoa/internal/shop/order"
)

var _ order.Followers = (*Orders)(nil)

// OpenFollower implements order.Followers.
func (s *Orders) OpenFollower(ctx context.Context, licenseID string) (order.Order, bool, error) {
	return s.found(ctx, `
		SELECT `+orderColumns+` FROM orders o WHERE o.license_id = $1 AND o.follows AND o.status = 'pending' LIMIT 1`,
		licenseID)
}

// ChangeByInvoice implements order.Followers.
func (s *Orders) ChangeByInvoice(ctx context.Context, provider, invoice string) (order.Order, bool, error) {
	return s.found(ctx, `
		SELECT `+orderColumns+` FROM orders o
		WHERE o.kind = 'change' AND o.payment_invoice = $1 AND o.payment_invoice <> '' AND o.provider = $2`,
		invoice, provider)
}

// found returns the order that a query finds, if there is one.
func (s *Orders) found(ctx context.Context, query string, args ...any) (order.Order, bool, error) {
	o, err := scanOrder(s.Read.QueryRowContext(ctx, query, args...))
	if errors.Is(err, sql.ErrNoRows) {
		return order.Order{}, false, nil
	}
	return o, err == nil, err
}

// Siblings implements order.Followers.
func (s *Orders) Siblings(ctx context.Context, licenseID string) ([]order.Order, error) {
	return database.All(ctx, s.Read, func(row database.Scanner) (order.Order, error) { return scanOrder(row) },
		`SELECT `+orderColumns+` FROM orders o WHERE o.license_id = $1 ORDER BY o.created_at_ms DESC, o.id`, licenseID)
}

// Orphans implements order.Followers.
func (s *Orders) Orphans(ctx context.Context, after order.Order) ([]order.Order, error) {
	return database.All(ctx, s.Read, func(row database.Scanner) (order.Order, error) { return scanOrder(row) }, `
		SELECT `+orderColumns+` FROM orders o JOIN licenses l ON l.id = o.license_id
		WHERE o.status = 'pending' AND l.revoked_at_ms IS NOT NULL
			AND (o.created_at_ms > $1 OR o.created_at_ms = $1 AND o.id > $2)
		ORDER BY o.created_at_ms, o.id LIMIT 100`, after.CreatedAt.UnixMilli(), after.ID)
}

// Seated implements order.Followers.
func (s *Orders) Seated(ctx context.Context, licenseID string) ([]string, error) {
	return database.Texts(ctx, s.Read, `
		SELECT instance_id FROM license_instances WHERE license_id = $1 AND NOT development
		ORDER BY activated_at_ms, instance_id`, licenseID)
}

// PutTerms implements order.Followers.
func (s *Orders) PutTerms(ctx context.Context, orderID string, t order.Terms) error {
	features, err := jsonList(t.Features)
	if err != nil {
		return err
	}
	var applied []byte
	if t.Applied != nil {
		if applied, err = json.Marshal(t.Applied); err != nil {
			return err
		}
	}
	if t.Undo {
		_, err := s.Write.ExecContext(ctx, `
			UPDATE orders SET `+afresh+` WHERE id = $1 AND sweep_tries <> 0
				AND NOT EXISTS (SELECT 1 FROM order_terms WHERE order_id = $1 AND undo)`, orderID)
		if err != nil {
			return err
		}
	}
	_, err = s.Write.ExecContext(ctx, `
		INSERT INTO order_terms (order_id, features, max_instances, price_minor, later, own, priced_until_ms, applied, undo)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
		ON CONFLICT (order_id) DO UPDATE SET applied = excluded.applied, undo = excluded.undo`,
		orderID, features, t.MaxInstances, t.Price, t.Later, t.Own, database.Millis(t.Until), string(applied), t.Undo)
	return s.Wrap(err, "Terms")
}

// TermsOf implements order.Followers.
func (s *Orders) TermsOf(ctx context.Context, o order.Order) (order.Terms, error) {
	t := order.Terms{Terms: license.Terms{TierID: o.TierID, Months: o.Period.Months()}}
	var features, applied string
	err := s.Read.QueryRowContext(ctx, `
		SELECT features, max_instances, price_minor, later, own, priced_until_ms, applied, undo
		FROM order_terms WHERE order_id = $1`, o.ID).
		Scan(&features, &t.MaxInstances, &t.Price, &t.Later, &t.Own, database.ScanMillis(&t.Until), &applied, &t.Undo)
	if err != nil {
		return t, s.Wrap(err, "Terms")
	}
	if applied != "" {
		if err := json.Unmarshal([]byte(applied), &t.Applied); err != nil {
			return t, fmt.Errorf("store: order %s: applied: %w", o.ID, err)
		}
	}
	t.Features, err = decodeFeatures(o.LicenseID, features)
	return t, err
}
