package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"stoa/internal/data/database"
	"stoa/internal/shop/order"
	"stoa/internal/shop/payment"
)

// AddPaymentEvent implements order.Store.
func (s *Orders) AddPaymentEvent(
	ctx context.Context, provider string, e payment.Event, orderID string, at time.Time,
) (bool, error) {
	res, err := s.Write.ExecContext(ctx, `
		INSERT INTO payment_events (provider, id, type, order_id, at_ms) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (provider, id) DO NOTHING`, provider, e.ID, e.Type, orderID, database.Millis(at))
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n > 0, err
}

// OrderByPayment implements order.Store.
func (s *Orders) OrderByPayment(ctx context.Context, provider string, r payment.Reference) (order.Order, error) {
	for _, by := range []struct{ column, value string }{
		{"payment_id", r.Payment}, {"payment_subscription", r.Subscription},
	} {
		if by.value == "" {
			continue
		}
		// At most one order has it: a provider gives each id once.
		o, err := scanOrder(s.Read.QueryRowContext(ctx, `
			SELECT `+orderColumns+` FROM orders o
			WHERE o.`+by.column+` = $1 AND o.`+by.column+` <> '' AND o.provider = $2`+s.Lock("o"), by.value, provider))
		if !errors.Is(err, sql.ErrNoRows) {
			return o, err
		}
	}
	return order.Order{}, database.NotFound("Order")
}

// unfinished finds the orders that the sweep must check. Each kind has its own SELECT, and so its
// own index: if the conditions were joined with OR, SQLite would read all orders. Every id is
// greater than the empty text, and saying so makes SQLite use orders_end_due instead of the index
// of all subscriptions.
const unfinished = `
	SELECT ` + orderColumns + `, o.sweep_tries FROM orders o
	WHERE o.id IN (
		SELECT id FROM orders WHERE cancelled_at_ms IS NOT NULL AND paid_at_ms IS NOT NULL AND refunded_at_ms IS NULL
		UNION ALL
		SELECT id FROM orders WHERE id > '' AND payment_subscription <> '' AND subscription_ended_at_ms IS NULL
			AND (cancelled_at_ms IS NOT NULL OR refunded_at_ms IS NOT NULL)
		UNION ALL
		SELECT id FROM orders WHERE id > '' AND user_id = 'deleted' AND payment_subscription <> ''
			AND subscription_ended_at_ms IS NULL
			AND paid_at_ms IS NOT NULL AND cancelled_at_ms IS NULL AND refunded_at_ms IS NULL AND NOT subscription_ends
		UNION ALL
		SELECT order_id FROM refunds_due
		UNION ALL
		SELECT order_id FROM order_terms WHERE undo
		UNION ALL
		SELECT id FROM orders WHERE status = 'pending' AND created_at_ms <= $2
		UNION ALL
		SELECT id FROM orders WHERE status = 'pending' AND created_at_ms <= $5 AND kind = 'change' AND payment_session = '')
		AND o.provider = $1 AND o.sweep_tries < $3 AND COALESCE(o.sweep_at_ms, 0) <= $4
	ORDER BY COALESCE(o.sweep_at_ms, 0), o.created_at_ms, o.id
	LIMIT 100`

// UnfinishedOrders implements order.Store.
func (s *Orders) UnfinishedOrders(
	ctx context.Context, provider string, waited order.Waited, now time.Time,
) ([]order.Unfinished, error) {
	return database.All(ctx, s.Read, func(row database.Scanner) (o order.Unfinished, err error) {
		o.Order, err = scanOrder(row, &o.Tries)
		return o, err
	}, unfinished, provider, database.Millis(waited.Any), order.SweepTries, database.Millis(now),
		database.Millis(waited.Change))
}

// afresh is a part of an UPDATE of orders that have something new to do: what could not be done before has used up none
// of its tries.
const afresh = `sweep_tries = 0, sweep_at_ms = NULL`

// PutOff implements order.Store.
func (s *Orders) PutOff(ctx context.Context, orderID string, before, tries int, next time.Time) error {
	_, err := s.Write.ExecContext(ctx, `
		UPDATE orders SET sweep_tries = $3, sweep_at_ms = $4 WHERE id = $1 AND sweep_tries = $2`,
		orderID, before, tries, database.Millis(next))
	return err
}
