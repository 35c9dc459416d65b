package store

import (
	"stoa/internal/database"

	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"stoa/internal/account"
	"stoa/internal/market"
	"stoa/internal/market/payment"
)

// AddPaymentEvent implements market.Sales.
func (s *Sales) AddPaymentEvent(ctx context.Context, provider string, e payment.Event, orderID string, at time.Time) (bool, error) {
	res, err := s.Write.ExecContext(ctx, `
		INSERT INTO payment_events (provider, id, type, order_id, at_ms) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (provider, id) DO NOTHING`, provider, e.ID, e.Type, orderID, database.Millis(at))
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n > 0, err
}

// OrderByPayment implements market.Sales.
func (s *Sales) OrderByPayment(ctx context.Context, provider string, r payment.Reference) (market.Order, error) {
	for _, by := range []struct{ column, value string }{{"payment_id", r.Payment}, {"payment_subscription", r.Subscription}} {
		if by.value == "" {
			continue
		}
		// Ids are the provider's, which gives each once.
		o, err := scanOrder(s.Read.QueryRowContext(ctx, `
			SELECT `+orderColumns+` FROM orders o WHERE o.`+by.column+` = $1 AND o.`+by.column+` <> '' AND o.provider = $2`+s.Lock("o"), by.value, provider))
		if !errors.Is(err, sql.ErrNoRows) {
			return o, err
		}
	}
	return market.Order{}, s.Wrap(sql.ErrNoRows, "Order")
}

// FindOrders implements market.Sales.
func (s *Sales) FindOrders(ctx context.Context, q market.OrderQuery) ([]market.OwnedOrder, int, error) {
	where, args := orderWhere(q)
	return s.ownedOrders(ctx, where, args, q.Limit, q.Offset)
}

// orderWhere returns the WHERE clause of a query and its arguments.
func orderWhere(q market.OrderQuery) (where string, args []any) {
	var terms []string
	arg := func(v any) string {
		args = append(args, v)
		return fmt.Sprintf("$%d", len(args))
	}
	if q.ID != "" {
		terms = append(terms, "o.id = "+arg(q.ID))
	}
	if q.Status != "" {
		terms = append(terms, "o.status = "+arg(string(q.Status)))
	}
	if q.Product != "" {
		terms = append(terms, "o.product_id = (SELECT id FROM products WHERE slug = "+arg(q.Product)+")")
	}
	if q.UserID != "" {
		terms = append(terms, "o.user_id = "+arg(q.UserID))
	}
	if q.Email != "" {
		// The bill's address and the account's are compared as each is elsewhere.
		terms = append(terms, "(o.billing_email_key = "+arg(market.EmailKey(q.Email))+
			" OR o.user_id = (SELECT id FROM users WHERE email_key = "+arg(account.Key(q.Email))+"))")
	}
	if len(terms) == 0 {
		return "", nil
	}
	return " WHERE " + strings.Join(terms, " AND "), args
}

// unfinished finds orders in indexes of their own, each by itself: SQLite would
// rather read all orders than join such terms with OR. Every id is beyond the
// empty one, which is said so that it takes orders_end_due and not the index of all
// subscriptions.
const unfinished = `
	SELECT ` + orderColumns + `, o.sweep_tries FROM orders o
	WHERE o.id IN (
		SELECT id FROM orders WHERE cancelled_at_ms IS NOT NULL AND paid_at_ms IS NOT NULL AND refunded_at_ms IS NULL
		UNION ALL
		SELECT id FROM orders WHERE id > '' AND payment_subscription <> '' AND subscription_ended_at_ms IS NULL
			AND (cancelled_at_ms IS NOT NULL OR refunded_at_ms IS NOT NULL)
		UNION ALL
		SELECT id FROM orders WHERE status = 'pending' AND created_at_ms <= $2)
		AND o.provider = $1 AND o.sweep_tries < $3 AND COALESCE(o.sweep_at_ms, 0) <= $4
	ORDER BY COALESCE(o.sweep_at_ms, 0), o.created_at_ms, o.id
	LIMIT 100`

// UnfinishedOrders implements market.Sales.
func (s *Sales) UnfinishedOrders(ctx context.Context, provider string, until, now time.Time) ([]market.UnfinishedOrder, error) {
	rows, err := s.Read.QueryContext(ctx, unfinished, provider, database.Millis(until), market.SweepTries, database.Millis(now))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []market.UnfinishedOrder
	for rows.Next() {
		var o market.UnfinishedOrder
		if o.Order, err = scanOrder(rows, &o.Tries); err != nil {
			return nil, err
		}
		list = append(list, o)
	}
	return list, rows.Err()
}

// PutOff implements market.Sales.
func (s *Sales) PutOff(ctx context.Context, orderID string, tries int, next time.Time) error {
	_, err := s.Write.ExecContext(ctx, `UPDATE orders SET sweep_tries = $2, sweep_at_ms = $3 WHERE id = $1`, orderID, tries, database.Millis(next))
	return err
}
