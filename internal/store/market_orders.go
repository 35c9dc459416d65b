package store

import (
	"stoa/internal/database"

	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"stoa/internal/market"
)

// Orders implements market.Orders.
type Orders struct {
	conn
}

var _ market.Orders = (*Orders)(nil)

// NewOrders returns the orders of db, as for those who placed them.
func NewOrders(db *database.DB) *Orders { return &Orders{newConn(db)} }

// InTx implements market.Orders.
func (s *Orders) InTx(ctx context.Context, fn func(market.Orders) error) error {
	return s.inTx(ctx, func(tx conn) error { return fn(&Orders{tx}) })
}

// OrdersOf implements market.Orders.
func (s *Orders) OrdersOf(ctx context.Context, userID string, limit, offset int) ([]market.OwnedOrder, int, error) {
	return s.ownedOrders(ctx, ` WHERE o.user_id = $1`, []any{userID}, limit, offset)
}

// ownedOrders returns a part of the orders that where selects, the newest first,
// and how many they are.
func (c conn) ownedOrders(ctx context.Context, where string, args []any, limit, offset int) ([]market.OwnedOrder, int, error) {
	var total int
	if err := c.Read.QueryRowContext(ctx, `SELECT count(*) FROM orders o`+where, args...).Scan(&total); err != nil {
		return nil, 0, err
	}
	rows, err := c.Read.QueryContext(ctx, `
		SELECT `+orderColumns+`, p.slug, p.name
		FROM orders o JOIN products p ON p.id = o.product_id`+where+fmt.Sprintf(`
		ORDER BY o.created_at_ms DESC, o.id
		LIMIT $%d OFFSET $%d`, len(args)+1, len(args)+2), append(args, limit, offset)...)
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	list := []market.OwnedOrder{}
	for rows.Next() {
		var o market.OwnedOrder
		if o.Order, err = scanOrder(rows, &o.ProductSlug, &o.ProductName); err != nil {
			return nil, 0, err
		}
		list = append(list, o)
	}
	return list, total, rows.Err()
}

// HasUnclaimed implements market.Orders.
func (s *Orders) HasUnclaimed(ctx context.Context, emailKey string) (some bool, err error) {
	err = s.Read.QueryRowContext(ctx, `
		SELECT EXISTS (SELECT 1 FROM orders WHERE billing_email_key = $1 AND user_id = 'anonymous')`, emailKey).Scan(&some)
	return some, err
}

// ClaimOrders implements market.Orders.
func (s *Orders) ClaimOrders(ctx context.Context, emailKey, userID string) (claimed int, err error) {
	err = s.inTx(ctx, func(tx conn) error {
		// The orders first, as everywhere: a refund locks them in this order, too.
		res, err := tx.Write.ExecContext(ctx, `UPDATE orders SET user_id = $1 WHERE billing_email_key = $2 AND user_id = 'anonymous'`, userID, emailKey)
		if err != nil {
			return err
		}
		_, err = tx.Write.ExecContext(ctx, `
			UPDATE licenses SET user_id = $1, version = version + 1
			WHERE user_id = 'anonymous' AND id IN (SELECT license_id FROM orders WHERE billing_email_key = $2 AND user_id = $1)`, userID, emailKey)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		claimed = int(n)
		return err
	})
	return claimed, err
}

// CreateClaim implements market.Orders.
func (s *Orders) CreateClaim(ctx context.Context, c market.Claim) error {
	_, err := s.Write.ExecContext(ctx, `
		INSERT INTO order_claims (token_hash, user_id, email_key, created_at_ms)
		VALUES ($1, $2, $3, $4)`, c.Hash, c.UserID, c.EmailKey, database.Millis(c.CreatedAt))
	return s.Wrap(err, "Claim")
}

// TakeClaim implements market.Orders.
func (s *Orders) TakeClaim(ctx context.Context, hash, userID string, since time.Time) (market.Claim, error) {
	c := market.Claim{Hash: hash, UserID: userID}
	err := s.inTx(ctx, func(tx conn) error {
		var created sql.NullInt64
		err := tx.Write.QueryRowContext(ctx, `
			DELETE FROM order_claims WHERE token_hash = $1 AND user_id = $2 AND created_at_ms > $3
			RETURNING email_key, created_at_ms`, hash, userID, database.Millis(since)).Scan(&c.EmailKey, &created)
		if err != nil {
			return tx.Wrap(err, "Claim")
		}
		c.CreatedAt = fromMillis(created)
		_, err = tx.Write.ExecContext(ctx, `DELETE FROM order_claims WHERE user_id = $1 AND email_key = $2`, userID, c.EmailKey)
		return err
	})
	if err != nil {
		return market.Claim{}, err
	}
	return c, nil
}

// DeleteClaims implements market.Orders.
func (s *Orders) DeleteClaims(ctx context.Context, until time.Time) error {
	_, err := s.Write.ExecContext(ctx, `DELETE FROM order_claims WHERE created_at_ms <= $1`, database.Millis(until))
	return err
}

// Allow implements market.Orders.
func (s *Orders) Allow(ctx context.Context, name string, a market.Allowance, now time.Time) (time.Time, error) {
	return s.allow(ctx, name, a, now)
}

// allow counts a mail: GCRA in one statement, so that it is exact. until_ms
// moves on by Every with each mail and may be (AtOnce - 1) of them in the future
// when the next is asked for.
func (c conn) allow(ctx context.Context, name string, a market.Allowance, now time.Time) (time.Time, error) {
	ahead := time.Duration(a.AtOnce-1) * a.Every
	var until sql.NullInt64
	err := c.Write.QueryRowContext(ctx, `
		INSERT INTO mail_allowances (name, until_ms) VALUES ($1, $2)
		ON CONFLICT (name) DO UPDATE
			SET until_ms = CASE WHEN mail_allowances.until_ms > $3 THEN mail_allowances.until_ms ELSE $3 END + $4
			WHERE mail_allowances.until_ms <= $5
		RETURNING until_ms`, name, database.Millis(now.Add(a.Every)), database.Millis(now), a.Every.Milliseconds(), database.Millis(now.Add(ahead))).Scan(&until)
	if err == nil || !errors.Is(err, sql.ErrNoRows) {
		return time.Time{}, err
	}
	if err := c.Read.QueryRowContext(ctx, `SELECT until_ms FROM mail_allowances WHERE name = $1`, name).Scan(&until); err != nil {
		return time.Time{}, err
	}
	return fromMillis(until).Add(-ahead), nil
}
