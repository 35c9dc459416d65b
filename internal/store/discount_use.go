package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"stoa/internal/data/database"
	"stoa/internal/shop/discount"
)

var _ discount.Uses = (*Orders)(nil)

// onceDiscount is the kind of once_keys of discounts.
const onceDiscount = "discount"

// once is what somebody may have once: a kind and its scope, and who takes it.
type once struct{ kind, scope, holder string }

// takeOnce records keys of a customer. It reports false if one of them is taken: then undo the transaction.
func takeOnce(ctx context.Context, tx database.Conn, o once, keys []string, at time.Time) (bool, error) {
	for _, key := range keys {
		res, err := tx.Write.ExecContext(ctx, `
			INSERT INTO once_keys (kind, scope, customer_key, order_id, at_ms) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (kind, scope, customer_key) DO NOTHING`, o.kind, o.scope, key, o.holder, database.Millis(at))
		if err != nil {
			return false, err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return false, err
		}
	}
	return true, nil
}

// AddUse implements discount.Uses.
func (s *Orders) AddUse(
	ctx context.Context, discountID, orderID string, keys []string, at time.Time,
) (bool, error) {
	if ok, err := takeOnce(ctx, s.Conn, once{onceDiscount, discountID, orderID}, keys, at); err != nil || !ok {
		return false, err
	}
	_, err := s.Write.ExecContext(ctx, `
		INSERT INTO discount_uses (order_id, discount_id, at_ms) VALUES ($1, $2, $3)`,
		orderID, discountID, database.Millis(at))
	return err == nil, err
}

// TakeUse implements discount.Uses.
func (s *Orders) TakeUse(ctx context.Context, discountID string, version int64) (bool, error) {
	// The condition is checked on the row as it is once the lock is had, whatever was read before.
	res, err := s.Write.ExecContext(ctx, `
		UPDATE discounts SET uses = uses + 1, used = $3
		WHERE id = $1 AND version = $2 AND (max_uses = 0 OR uses < max_uses)`, discountID, version, true)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n > 0, err
}

// GiveBackUse implements discount.Uses.
func (s *Orders) GiveBackUse(ctx context.Context, orderID string) error {
	if _, err := s.Write.ExecContext(ctx, `DELETE FROM once_keys WHERE order_id = $1`, orderID); err != nil {
		return err
	}
	// The row that is deleted says that the use was not given back yet.
	var discountID string
	err := s.Write.QueryRowContext(ctx,
		`DELETE FROM discount_uses WHERE order_id = $1 RETURNING discount_id`, orderID).Scan(&discountID)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	} else if err != nil {
		return err
	}
	_, err = s.Write.ExecContext(ctx, `UPDATE discounts SET uses = uses - 1 WHERE id = $1`, discountID)
	return err
}

// Reduces implements discount.Uses.
func (s *Orders) Reduces(ctx context.Context, discountID, tierID string) (bool, error) {
	d, err := scanDiscount(s.Read.QueryRowContext(ctx,
		`SELECT `+discountColumns+` FROM discounts d WHERE d.id = $1`, discountID))
	return d.IsFor(tierID), s.Wrap(err, "Discount")
}
