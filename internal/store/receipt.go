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
func (s *Orders) AddRefundNotice(ctx context.Context, n order.RefundNotice, at time.Time) error {
	if n.Whole {
		_, err := s.Write.ExecContext(ctx, `
			UPDATE receipts SET lease = '', due_ms = NULL, state = $2, finished_at_ms = $3 WHERE order_id = $1 AND state = $4`,
			n.OrderID, string(order.ReceiptDropped), database.Millis(at), string(order.ReceiptWaiting))
		if err != nil {
			return err
		}
	}
	_, err := s.Write.ExecContext(ctx, `
		INSERT INTO refund_notices (id, order_id, minor, whole, state, attempts, lease, due_ms, created_at_ms)
		VALUES ($1, $2, $3, $4, $5, 0, '', $6, $6)
		ON CONFLICT (id) DO NOTHING`, n.ID, n.OrderID, n.Minor, n.Whole, string(order.ReceiptWaiting), database.Millis(at))
	return err
}

// queue is a table of mails about orders.
type queue struct{ table, id string }

// The queues: an order has one receipt, and a notice for each refund.
var (
	receipts = queue{"receipts", "order_id"}
	notices  = queue{"refund_notices", "id"}
)

// LeaseReceipt implements order.ReceiptStore.
func (s *Receipts) LeaseReceipt(
	ctx context.Context, lease string, now, until time.Time,
) (order.DueReceipt, bool, error) {
	for _, q := range []queue{receipts, notices} {
		if d, ok, err := s.leaseFrom(ctx, q, lease, now, until); ok || err != nil {
			return d, ok, err
		}
	}
	return order.DueReceipt{}, false, nil
}

func (s *Receipts) leaseFrom(
	ctx context.Context, q queue, lease string, now, until time.Time,
) (order.DueReceipt, bool, error) {
	var id string
	// Usually nothing is due. This query finds that out without a transaction.
	err := s.Read.QueryRowContext(ctx, `
		SELECT `+q.id+` FROM `+q.table+` WHERE due_ms <= $1 LIMIT 1`, database.Millis(now)).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return order.DueReceipt{}, false, nil
	} else if err != nil {
		return order.DueReceipt{}, false, err
	}
	err = s.InShortTx(ctx, func(tx database.Conn) error {
		// The first replica to get here locks the receipt; others skip it and take the next.
		err := tx.Read.QueryRowContext(ctx, `
			SELECT r.`+q.id+` FROM `+q.table+` r WHERE r.due_ms <= $1
			ORDER BY r.due_ms
			LIMIT 1`+tx.LockFree("r"), database.Millis(now)).Scan(&id)
		if err != nil {
			return err
		}
		_, err = tx.Write.ExecContext(ctx, `
			UPDATE `+q.table+` SET lease = $1, due_ms = $2, attempts = attempts + 1 WHERE `+q.id+` = $3`,
			lease, database.Millis(until), id)
		return err
	})
	if errors.Is(err, sql.ErrNoRows) { // another replica was faster
		return order.DueReceipt{}, false, nil
	} else if err != nil {
		return order.DueReceipt{}, false, err
	}
	d, err := s.delivery(ctx, q, id)
	return d, err == nil, err
}

// delivery returns a receipt or a notice, and everything that its mail contains.
func (s *Receipts) delivery(ctx context.Context, q queue, id string) (order.DueReceipt, error) {
	var (
		d              order.DueReceipt
		billing        sql.NullString
		status, tierID string
		refunded       time.Time
		detail         string
	)
	about := `'', 0, FALSE`
	if q == notices {
		about = `r.id, r.minor, r.whole`
	}
	into := []any{
		&d.OrderID, &d.UserID, &billing, &d.Amount.Minor, &d.Amount.Currency, &d.Language, &d.Trial, &d.Code, &d.Off.Minor,
		database.ScanMillis(&d.Ordered), &status, database.ScanMillis(&refunded), &tierID, &d.ProductName, &detail,
		&d.Attempts, database.ScanMillis(&d.Since), &d.Notice.ID, &d.Notice.Minor, &d.Notice.Whole, &d.Paid,
	}
	l, err := scanLicense(s.Read.QueryRowContext(ctx, `
		SELECT `+licenseColumns+`, o.id, o.user_id, o.billing_info, o.amount_minor, o.currency,
			o.language, o.trial, o.discount_code, o.discount_minor, o.created_at_ms, o.status, o.refunded_at_ms, o.tier_id,
			p.name, p.detail, r.attempts, r.created_at_ms, `+about+`,
			COALESCE(paid.minor, 0), `+billColumns+`
		FROM `+q.table+` r
		JOIN orders o ON o.id = r.order_id
		JOIN licenses l ON l.id = o.license_id
		JOIN products p ON p.id = o.product_id
		LEFT JOIN payments paid ON paid.order_id = o.id AND paid.seq = 1
		WHERE r.`+q.id+` = $1`, id),
		append(into, scanBill(&d.Bill)...)...)
	if err != nil {
		return order.DueReceipt{}, s.Wrap(err, "Receipt")
	}
	d.License, d.Stands = l, status == string(order.Paid)
	d.Refunded = !refunded.IsZero()
	if d.Notice.ID != "" {
		d.Notice.OrderID = d.OrderID
	}
	if d.Code != "" {
		d.Off.Currency = d.Amount.Currency
	}
	if d.TierName, err = tierName(detail, tierID); err != nil {
		return order.DueReceipt{}, fmt.Errorf("store: product of order %s: %w", d.OrderID, err)
	}
	if billing.Valid {
		if err := json.Unmarshal([]byte(billing.String), &d.Billing); err != nil {
			return order.DueReceipt{}, fmt.Errorf("store: order %s: billing_info: %w", d.OrderID, err)
		}
	}
	return d, nil
}

// tierName returns the name of a tier in the detail of its product; its id if the tier no longer exists.
func tierName(detail, tierID string) (string, error) {
	shown, err := decodeDetail(detail)
	if err != nil {
		return "", fmt.Errorf("detail: %w", err)
	}
	for _, t := range shown.Tiers {
		if t.ID == tierID {
			return t.Name, nil
		}
	}
	return tierID, nil
}

// PostponeReceipt implements order.ReceiptStore.
func (s *Receipts) PostponeReceipt(ctx context.Context, orderID, lease string, due time.Time, attempts int) error {
	return s.InShortTx(ctx, func(tx database.Conn) error {
		return ofLease(ctx, tx, `lease = '', due_ms = $3, attempts = $4`, orderID, lease, database.Millis(due), attempts)
	})
}

// FinishReceipt implements order.ReceiptStore.
func (s *Receipts) FinishReceipt(
	ctx context.Context, orderID, lease string, state order.ReceiptState, at time.Time,
) error {
	return s.InShortTx(ctx, func(tx database.Conn) error {
		return ofLease(ctx, tx, `lease = '', due_ms = NULL, state = $3, finished_at_ms = $4`,
			orderID, lease, string(state), database.Millis(at))
	})
}

// ofLease changes the receipt or the notice of an order that has a lease. A lease is of one of them.
func ofLease(ctx context.Context, tx database.Conn, set, orderID, lease string, args ...any) error {
	for _, q := range []queue{receipts, notices} {
		_, err := tx.Write.ExecContext(ctx, `UPDATE `+q.table+` SET `+set+` WHERE order_id = $1 AND lease = $2`,
			append([]any{orderID, lease}, args...)...)
		if err != nil {
			return err
		}
	}
	return nil
}
