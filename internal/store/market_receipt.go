package store

import (
	"stoa/internal/database"

	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"stoa/internal/market"
)

// Outbox implements market.Outbox.
type Outbox struct {
	conn
}

var _ market.Outbox = (*Outbox)(nil)

// NewOutbox returns the receipts of db that are to be mailed.
func NewOutbox(db *database.DB) *Outbox { return &Outbox{newConn(db)} }

// AddReceipt implements market.Sales.
func (s *Sales) AddReceipt(ctx context.Context, orderID string, at time.Time) error {
	_, err := s.Write.ExecContext(ctx, `
		INSERT INTO receipts (order_id, state, attempts, lease, due_ms, created_at_ms) VALUES ($1, $2, 0, '', $3, $3)
		ON CONFLICT (order_id) DO NOTHING`, orderID, string(market.ReceiptWaiting), database.Millis(at))
	return err
}

// LeaseReceipt implements market.Outbox.
func (s *Outbox) LeaseReceipt(ctx context.Context, lease string, now, until time.Time) (market.Delivery, bool, error) {
	var id string
	// Most of the time nothing is due: that is found out without a transaction.
	err := s.Read.QueryRowContext(ctx, `SELECT order_id FROM receipts WHERE due_ms <= $1 LIMIT 1`, database.Millis(now)).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return market.Delivery{}, false, nil
	} else if err != nil {
		return market.Delivery{}, false, err
	}
	var d market.Delivery
	err = s.inShortTx(ctx, func(tx conn) error {
		// Locked by whoever is first; others skip it, and look at what is due next.
		err := tx.Read.QueryRowContext(ctx, `
			SELECT r.order_id FROM receipts r WHERE r.due_ms <= $1
			ORDER BY r.due_ms
			LIMIT 1`+tx.LockFree("r"), database.Millis(now)).Scan(&id)
		if err != nil {
			return err
		}
		_, err = tx.Write.ExecContext(ctx, `UPDATE receipts SET lease = $1, due_ms = $2, attempts = attempts + 1 WHERE order_id = $3`,
			lease, database.Millis(until), id)
		return err
	})
	if errors.Is(err, sql.ErrNoRows) { // somebody else was quicker
		return market.Delivery{}, false, nil
	}
	if err == nil {
		d, err = s.delivery(ctx, id)
	}
	return d, err == nil, err
}

// delivery returns the receipt of an order with what it tells.
func (s *Outbox) delivery(ctx context.Context, orderID string) (market.Delivery, error) {
	var (
		d              market.Delivery
		billing        sql.NullString
		status, tierID string
		detail         string
		ordered, since sql.NullInt64
	)
	l, err := scanLicense(s.Read.QueryRowContext(ctx, `
		SELECT `+licenseColumns+`, o.id, o.user_id, o.billing_info, o.amount_minor, o.currency, o.created_at_ms, o.status, o.tier_id,
			p.name, p.detail, r.attempts, r.created_at_ms
		FROM receipts r JOIN orders o ON o.id = r.order_id JOIN licenses l ON l.id = o.license_id JOIN products p ON p.id = o.product_id
		WHERE r.order_id = $1`, orderID),
		&d.OrderID, &d.UserID, &billing, &d.Amount.Minor, &d.Amount.Currency, &ordered, &status, &tierID,
		&d.ProductName, &detail, &d.Attempts, &since)
	if err != nil {
		return market.Delivery{}, s.Wrap(err, "Receipt")
	}
	d.License, d.Ordered, d.Since = l, fromMillis(ordered), fromMillis(since)
	d.Stands, d.TierName = status == string(market.OrderPaid), tierID
	shown, err := decodeDetail(detail)
	if err != nil {
		return market.Delivery{}, fmt.Errorf("store: product of order %s: detail: %w", orderID, err)
	}
	for _, t := range shown.Tiers {
		if t.ID == tierID {
			d.TierName = t.Name
		}
	}
	if billing.Valid {
		if err := json.Unmarshal([]byte(billing.String), &d.Billing); err != nil {
			return market.Delivery{}, fmt.Errorf("store: order %s: billing_info: %w", orderID, err)
		}
	}
	return d, nil
}

// PostponeReceipt implements market.Outbox.
func (s *Outbox) PostponeReceipt(ctx context.Context, orderID, lease string, due time.Time, attempts int) error {
	return s.inShortTx(ctx, func(tx conn) error {
		_, err := tx.Write.ExecContext(ctx, `UPDATE receipts SET lease = '', due_ms = $1, attempts = $2 WHERE order_id = $3 AND lease = $4`,
			database.Millis(due), attempts, orderID, lease)
		return err
	})
}

// FinishReceipt implements market.Outbox.
func (s *Outbox) FinishReceipt(ctx context.Context, orderID, lease string, state market.ReceiptState, at time.Time) error {
	return s.inShortTx(ctx, func(tx conn) error {
		_, err := tx.Write.ExecContext(ctx, `UPDATE receipts SET lease = '', due_ms = NULL, state = $1, finished_at_ms = $2 WHERE order_id = $3 AND lease = $4`,
			string(state), database.Millis(at), orderID, lease)
		return err
	})
}

// Allow implements market.Outbox.
func (s *Outbox) Allow(ctx context.Context, name string, a market.Allowance, now time.Time) (time.Time, error) {
	return s.allow(ctx, name, a, now)
}

// DeleteAllowances implements market.Outbox.
func (s *Outbox) DeleteAllowances(ctx context.Context, now time.Time) error {
	_, err := s.Write.ExecContext(ctx, `DELETE FROM mail_allowances WHERE until_ms <= $1`, database.Millis(now))
	return err
}
