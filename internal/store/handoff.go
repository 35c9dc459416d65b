package store

import (
	"context"
	"time"

	"stoa/internal/data/database"
	"stoa/internal/market/handoff"
	"stoa/internal/shop/order"
)

// Handoffs implements handoff.Store.
type Handoffs struct{ database.Conn }

var _ handoff.Store = (*Handoffs)(nil)

// NewHandoffs returns the handoffs of db.
func NewHandoffs(db *database.DB) *Handoffs { return &Handoffs{db.Conn()} }

// Create implements handoff.Store.
func (s *Handoffs) Create(ctx context.Context, h handoff.Handoff) error {
	_, err := s.Write.ExecContext(ctx, `
		INSERT INTO market_handoffs (id, product_id, tier_id, license_id, instance, platform_id, return_url, secret_hash,
			created_at_ms)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		h.ID, h.ProductID, h.TierID, h.LicenseID, h.Instance, h.PlatformID, h.ReturnURL, h.SecretHash,
		database.Millis(h.CreatedAt))
	return s.Wrap(err, "Handoff")
}

// ByID implements handoff.Store.
func (s *Handoffs) ByID(ctx context.Context, id string) (h handoff.Handoff, err error) {
	h.Handoff, err = handoffByID(ctx, s.Conn, id)
	if err != nil {
		return h, err
	}
	err = s.Read.QueryRowContext(ctx, `
		SELECT COALESCE((SELECT slug FROM products p WHERE p.id = h.product_id), ''), h.instance, h.platform_id,
			h.return_url, h.secret_hash
		FROM market_handoffs h WHERE h.id = $1`, id).
		Scan(&h.ProductSlug, &h.Instance, &h.PlatformID, &h.ReturnURL, &h.SecretHash)
	return h, s.Wrap(err, "Handoff")
}

// Claim implements handoff.Store.
func (s *Handoffs) Claim(ctx context.Context, id string, at time.Time) error {
	_, err := s.Write.ExecContext(ctx,
		`UPDATE market_handoffs SET claimed_at_ms = $2 WHERE id = $1 AND claimed_at_ms IS NULL`, id, database.Millis(at))
	return err
}

// Sweep implements handoff.Store.
func (s *Handoffs) Sweep(ctx context.Context, until time.Time) error {
	_, err := s.Write.ExecContext(ctx, `DELETE FROM market_handoffs WHERE created_at_ms <= $1`, database.Millis(until))
	return err
}

// HandoffByID implements order.Handoffs.
func (s *Orders) HandoffByID(ctx context.Context, id string) (order.Handoff, error) {
	return handoffByID(ctx, s.Conn, id)
}

// BindHandoff implements order.Handoffs.
func (s *Orders) BindHandoff(ctx context.Context, id, orderID string) error {
	res, err := s.Write.ExecContext(ctx, `UPDATE market_handoffs SET order_id = $2 WHERE id = $1`, id, orderID)
	return database.Affected(res, err, "Handoff")
}

func handoffByID(ctx context.Context, tx database.Conn, id string) (order.Handoff, error) {
	h := order.Handoff{ID: id}
	var orderID string
	err := tx.Read.QueryRowContext(ctx, `
		SELECT h.product_id, h.tier_id, h.license_id, h.order_id, h.created_at_ms, h.claimed_at_ms
		FROM market_handoffs h WHERE h.id = $1`+tx.Lock("h"), id).
		Scan(&h.ProductID, &h.TierID, &h.LicenseID, &orderID,
			database.ScanMillis(&h.CreatedAt), database.ScanMillis(&h.ClaimedAt))
	if err != nil || orderID == "" {
		return h, tx.Wrap(err, "Handoff")
	}
	// A separate query on purpose: it must see what other transactions committed while this one waited for the lock. The
	// order is not locked, because whoever holds it may wait for nothing of a handoff.
	h.Order, err = scanOrder(tx.Read.QueryRowContext(ctx,
		`SELECT `+orderColumns+` FROM orders o WHERE o.id = $1`, orderID))
	return h, tx.Wrap(err, "Order")
}
