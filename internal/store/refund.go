package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"stoa/internal/data/database"
	"stoa/internal/shop/order"
)

var _ order.RefundStore = (*Orders)(nil)

// RefundDueOf implements order.RefundStore.
func (s *Orders) RefundDueOf(ctx context.Context, orderID string) (d order.RefundDue, ok bool, err error) {
	err = s.Read.QueryRowContext(ctx, `
		SELECT id, order_id, seq, minor, reason, actor_kind, actor_id, at_ms FROM refunds_due WHERE order_id = $1`, orderID).
		Scan(&d.ID, &d.OrderID, &d.Seq, &d.Minor, &d.Reason, &d.By.Kind, &d.By.ID, database.ScanMillis(&d.At))
	if errors.Is(err, sql.ErrNoRows) {
		return order.RefundDue{}, false, nil
	}
	return d, err == nil, err
}

// AddRefundDue implements order.RefundStore.
func (s *Orders) AddRefundDue(ctx context.Context, d order.RefundDue) error {
	_, err := s.Write.ExecContext(ctx, `
		INSERT INTO refunds_due (order_id, id, seq, minor, reason, actor_kind, actor_id, at_ms)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		d.OrderID, d.ID, d.Seq, d.Minor, d.Reason, string(d.By.Kind), d.By.ID, database.Millis(d.At))
	if err != nil {
		return s.Wrap(err, "Refund")
	}
	_, err = s.Write.ExecContext(ctx, `UPDATE orders SET `+afresh+` WHERE id = $1 AND sweep_tries <> 0`, d.OrderID)
	return err
}

// DropRefundDue implements order.RefundStore.
func (s *Orders) DropRefundDue(ctx context.Context, d order.RefundDue, refused bool) (bool, error) {
	res, err := s.Write.ExecContext(ctx, `DELETE FROM refunds_due WHERE order_id = $1 AND id = $2`, d.OrderID, d.ID)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	if err == nil && n > 0 && refused {
		_, err = s.Write.ExecContext(ctx, `DELETE FROM once_keys WHERE order_id = $1 AND kind = $2`, d.OrderID, onceRefund)
	}
	return n > 0, err
}

// HasRefund implements order.RefundStore.
func (s *Orders) HasRefund(ctx context.Context, orderID, id string) (has bool, err error) {
	err = s.Read.QueryRowContext(ctx, `
		SELECT EXISTS (SELECT 1 FROM refunds WHERE id = $1 AND order_id = $2)`, id, orderID).Scan(&has)
	return has, err
}

// AddRefund implements order.RefundStore.
func (s *Orders) AddRefund(ctx context.Context, r order.Refund) error {
	err := s.counting(ctx, r.OrderID, func(tx database.Conn) error {
		_, err := tx.Write.ExecContext(ctx, `
			INSERT INTO refunds (id, order_id, seq, minor, currency, reason, by_id, at_ms, credit_note)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
			r.ID, r.OrderID, r.Seq, r.Amount.Minor, r.Amount.Currency, r.Reason, r.By, database.Millis(r.At),
			database.NullText(r.CreditNote))
		return err
	})
	return s.Wrap(err, "Refund")
}

// RefundsOf implements order.RefundStore.
func (s *Orders) RefundsOf(ctx context.Context, orderIDs ...string) (map[string][]order.Refund, error) {
	args := make([]any, len(orderIDs))
	for i, id := range orderIDs {
		args[i] = id
	}
	list, err := database.All(ctx, s.Read, func(row database.Scanner) (r order.Refund, err error) {
		err = row.Scan(&r.ID, &r.OrderID, &r.Seq, &r.Amount.Minor, &r.Amount.Currency, &r.Reason, &r.By,
			database.ScanMillis(&r.At), &r.CreditNote)
		return r, err
	}, `
		SELECT id, order_id, seq, minor, currency, reason, by_id, at_ms, coalesce(credit_note, '')
		FROM refunds WHERE order_id IN (`+places(1, len(args))+`) ORDER BY at_ms, seq, id`, args...)
	of := make(map[string][]order.Refund)
	for _, r := range list {
		of[r.OrderID] = append(of[r.OrderID], r)
	}
	return of, err
}

// onceRefund is the kind of once_keys of orders that buyers took back: of a product, by a user.
const onceRefund = "refund"

// TakeRefundRight implements order.RefundStore.
func (s *Orders) TakeRefundRight(
	ctx context.Context, productID, userID, orderID string, at time.Time,
) (bool, error) {
	_, err := s.Write.ExecContext(ctx, `
		INSERT INTO once_keys (kind, scope, customer_key, order_id, at_ms) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (kind, scope, customer_key) DO NOTHING`, onceRefund, productID, userID, orderID, database.Millis(at))
	if err != nil {
		return false, err
	}
	var holder string
	err = s.Read.QueryRowContext(ctx, `
		SELECT order_id FROM once_keys WHERE kind = $1 AND scope = $2 AND customer_key = $3`,
		onceRefund, productID, userID).Scan(&holder)
	return holder == orderID, err
}

// TakenBack implements order.RefundStore.
func (s *Orders) TakenBack(ctx context.Context, orderID string) (taken bool, err error) {
	err = s.Read.QueryRowContext(ctx, `
		SELECT EXISTS (SELECT 1 FROM once_keys WHERE order_id = $1 AND kind = $2)`, orderID, onceRefund).Scan(&taken)
	return taken, err
}

// RefundRightTaken implements order.RefundStore.
func (s *Orders) RefundRightTaken(ctx context.Context, productID, userID string) (taken bool, err error) {
	err = s.Read.QueryRowContext(ctx, `
		SELECT EXISTS (SELECT 1 FROM once_keys WHERE kind = $1 AND scope = $2 AND customer_key = $3)`,
		onceRefund, productID, userID).Scan(&taken)
	return taken, err
}
