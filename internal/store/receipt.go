package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"stoa/internal/data/database"
	"stoa/internal/shop/order"
)

// Receipts implements order.ReceiptStore.
type Receipts struct{ database.Conn }

var _ order.ReceiptStore = (*Receipts)(nil)

// NewReceipts returns the receipts of db that wait to be mailed.
func NewReceipts(db *database.DB) *Receipts { return &Receipts{db.Conn()} }

// AddReceipt implements order.Store.
func (s *Orders) AddReceipt(ctx context.Context, orderID string, at time.Time) error {
	_, err := s.Write.ExecContext(ctx, `
		INSERT INTO receipts (order_id, state, attempts, lease, due_ms, created_at_ms) VALUES ($1, $2, 0, '', $3, $3)
		ON CONFLICT (order_id) DO NOTHING`, orderID, string(order.ReceiptWaiting), database.Millis(at))
	return err
}

// AddRefundNotice implements order.Store.
func (s *Orders) AddRefundNotice(ctx context.Context, orderID string, at time.Time) error {
	_, err := s.Write.ExecContext(ctx, `
		INSERT INTO receipts (order_id, state, attempts, lease, due_ms, created_at_ms) VALUES ($1, $2, 0, '', $3, $3)
		ON CONFLICT (order_id) DO UPDATE SET state = excluded.state, attempts = 0, lease = '', due_ms = excluded.due_ms,
			created_at_ms = excluded.created_at_ms, finished_at_ms = NULL`,
		orderID, string(order.ReceiptWaiting), database.Millis(at))
	return err
}

// LeaseReceipt implements order.ReceiptStore.
func (s *Receipts) LeaseReceipt(
	ctx context.Context, lease string, now, until time.Time,
) (order.DueReceipt, bool, error) {
	var id string
	// Usually nothing is due. This query finds that out without a transaction.
	err := s.Read.QueryRowContext(ctx, `
		SELECT order_id FROM receipts WHERE due_ms <= $1 LIMIT 1`, database.Millis(now)).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return order.DueReceipt{}, false, nil
	} else if err != nil {
		return order.DueReceipt{}, false, err
	}
	err = s.InShortTx(ctx, func(tx database.Conn) error {
		// The first replica to get here locks the receipt; others skip it and take the next.
		err := tx.Read.QueryRowContext(ctx, `
			SELECT r.order_id FROM receipts r WHERE r.due_ms <= $1
			ORDER BY r.due_ms
			LIMIT 1`+tx.LockFree("r"), database.Millis(now)).Scan(&id)
		if err != nil {
			return err
		}
		_, err = tx.Write.ExecContext(ctx, `
			UPDATE receipts SET lease = $1, due_ms = $2, attempts = attempts + 1 WHERE order_id = $3`,
			lease, database.Millis(until), id)
		return err
	})
	if errors.Is(err, sql.ErrNoRows) { // another replica was faster
		return order.DueReceipt{}, false, nil
	} else if err != nil {
		return order.DueReceipt{}, false, err
	}
	d, err := s.delivery(ctx, id)
	return d, err == nil, err
}

// delivery returns the receipt of an order and everything that its mail contains.
func (s *Receipts) delivery(ctx context.Context, orderID string) (order.DueReceipt, error) {
	var (
		d              order.DueReceipt
		billing        sql.NullString
		status, tierID string
		refunded       time.Time
		detail         string
	)
	l, err := scanLicense(s.Read.QueryRowContext(ctx, `
		SELECT `+licenseColumns+`, o.id, o.user_id, o.billing_info, o.amount_minor, o.currency,
			o.trial, o.discount_code, o.discount_minor, o.created_at_ms, o.status, o.refunded_at_ms, o.tier_id, p.name, p.detail, r.attempts, r.created_at_ms
		FROM receipts r
		JOIN orders o ON o.id = r.order_id
		JOIN licenses l ON l.id = o.license_id
		JOIN products p ON p.id = o.product_id
		WHERE r.order_id = $1`, orderID),
		&d.OrderID, &d.UserID, &billing, &d.Amount.Minor, &d.Amount.Currency,
		&d.Trial, &d.Code, &d.Off.Minor, database.ScanMillis(&d.Ordered), &status, database.ScanMillis(&refunded), &tierID, &d.ProductName, &detail, &d.Attempts,
		database.ScanMillis(&d.Since))
	if err != nil {
		return order.DueReceipt{}, s.Wrap(err, "Receipt")
	}
	d.License, d.Stands, d.TierName = l, status == string(order.Paid), tierID
	d.Refunded = !refunded.IsZero()
	if d.Code != "" {
		d.Off.Currency = d.Amount.Currency
	}
	shown, err := decodeDetail(detail)
	if err != nil {
		return order.DueReceipt{}, fmt.Errorf("store: product of order %s: detail: %w", orderID, err)
	}
	for _, t := range shown.Tiers {
		if t.ID == tierID {
			d.TierName = t.Name
		}
	}
	if billing.Valid {
		if err := json.Unmarshal([]byte(billing.String), &d.Billing); err != nil {
			return order.DueReceipt{}, fmt.Errorf("store: order %s: billing_info: %w", orderID, err)
		}
	}
	return d, nil
}

// PostponeReceipt implements order.ReceiptStore.
func (s *Receipts) PostponeReceipt(ctx context.Context, orderID, lease string, due time.Time, attempts int) error {
	return s.InShortTx(ctx, func(tx database.Conn) error {
		_, err := tx.Write.ExecContext(ctx, `
			UPDATE receipts SET lease = '', due_ms = $1, attempts = $2 WHERE order_id = $3 AND lease = $4`,
			database.Millis(due), attempts, orderID, lease)
		return err
	})
}

// FinishReceipt implements order.ReceiptStore.
func (s *Receipts) FinishReceipt(
	ctx context.Context, orderID, lease string, state order.ReceiptState, at time.Time,
) error {
	return s.InShortTx(ctx, func(tx database.Conn) error {
		_, err := tx.Write.ExecContext(ctx, `
			UPDATE receipts SET lease = '', due_ms = NULL, state = $1, finished_at_ms = $2
			WHERE order_id = $3 AND lease = $4`, string(state), database.Millis(at), orderID, lease)
		return err
	})
}
