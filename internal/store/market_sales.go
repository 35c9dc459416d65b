package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"stoa/internal/market"
)

// Sales implements market.Sales.
type Sales struct {
	licenseTable
}

var _ market.Sales = (*Sales)(nil)

// NewSales returns the orders of db.
func NewSales(db *DB) *Sales { return &Sales{licenseTable{db.conn()}} }

// InTx implements market.Sales.
func (s *Sales) InTx(ctx context.Context, fn func(market.Sales) error) error {
	return s.inTx(ctx, func(tx conn) error { return fn(&Sales{licenseTable{tx}}) })
}

// CreateOrder implements market.Sales.
func (s *Sales) CreateOrder(ctx context.Context, o market.Order) error {
	var billing sql.NullString
	if o.Billing != nil {
		b, err := json.Marshal(o.Billing)
		if err != nil {
			return err
		}
		billing = sql.NullString{String: string(b), Valid: true}
	}
	_, err := s.w.ExecContext(ctx, `
		INSERT INTO orders (id, product_id, tier_id, user_id, payment_method, billing_info, amount_minor, currency, status, license_id, created_at_ms, billing_email_key)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
		o.ID, o.ProductID, o.TierID, o.UserID, o.PaymentMethod, billing, o.Amount.Minor, o.Amount.Currency, string(o.Status), o.LicenseID, toMillis(o.CreatedAt), nullText(o.Billing.EmailKey()))
	return s.db.wrap(err, "Order")
}

// OrderByID implements market.Sales.
func (s *Sales) OrderByID(ctx context.Context, id string) (market.Order, error) {
	var (
		o       market.Order
		billing sql.NullString
		created sql.NullInt64
	)
	err := s.r.QueryRowContext(ctx, `
		SELECT id, product_id, tier_id, user_id, payment_method, billing_info, amount_minor, currency, status, license_id, created_at_ms
		FROM orders WHERE id = $1`, id,
	).Scan(&o.ID, &o.ProductID, &o.TierID, &o.UserID, &o.PaymentMethod, &billing, &o.Amount.Minor, &o.Amount.Currency, &o.Status, &o.LicenseID, &created)
	if err != nil {
		return o, s.db.wrap(err, "Order")
	}
	o.CreatedAt = fromMillis(created)
	if billing.Valid {
		if err := json.Unmarshal([]byte(billing.String), &o.Billing); err != nil {
			return o, fmt.Errorf("store: order %s: billing_info: %w", o.ID, err)
		}
	}
	return o, nil
}

// CountDownload implements market.Sales.
func (s *Sales) CountDownload(ctx context.Context, productID string) error {
	res, err := s.w.ExecContext(ctx, `UPDATE products SET download_count = download_count + 1 WHERE id = $1`, productID)
	return mustChange(res, err, "Product")
}
