package store

import (
	"context"
	"time"

	"stoa/internal/data/database"
	"stoa/internal/shop/order"
)

// Claims implements order.ClaimStore.
type Claims struct{ database.Conn }

var _ order.ClaimStore = (*Claims)(nil)

// NewClaims returns the claims to orders of db.
func NewClaims(db *database.DB) *Claims { return &Claims{db.Conn()} }

// InTx implements order.ClaimStore.
func (s *Claims) InTx(ctx context.Context, fn func(order.ClaimStore) error) error {
	return s.Conn.InTx(ctx, func(tx database.Conn) error { return fn(&Claims{tx}) })
}

// HasUnclaimed implements order.ClaimStore.
func (s *Claims) HasUnclaimed(ctx context.Context, emailKey string) (some bool, err error) {
	err = s.Read.QueryRowContext(ctx, `
		SELECT EXISTS (SELECT 1 FROM orders WHERE billing_email_key = $1 AND user_id = 'anonymous')`, emailKey,
	).Scan(&some)
	return some, err
}

// gaveLicense says of an order that its license goes with it: it issued the license, or was paid. One that only wanted
// to buy a trial leaves that to whoever tries it, also if the payment came too late.
const gaveLicense = `(NOT follows OR paid_at_ms IS NOT NULL AND cancelled_at_ms IS NULL)`

// ClaimOrders implements order.ClaimStore.
func (s *Claims) ClaimOrders(ctx context.Context, emailKey, userID string) (claimed int, err error) {
	err = s.Conn.InTx(ctx, func(tx database.Conn) error {
		// Orders before licenses, as everywhere; a refund locks them in this order too.
		res, err := tx.Write.ExecContext(ctx, `
			UPDATE orders SET user_id = $1 WHERE billing_email_key = $2 AND user_id = 'anonymous'`, userID, emailKey)
		if err != nil {
			return err
		}
		_, err = tx.Write.ExecContext(ctx, `
			UPDATE licenses SET user_id = $1, version = version + 1
			WHERE user_id = 'anonymous'
				AND id IN (SELECT license_id FROM orders WHERE billing_email_key = $2 AND user_id = $1 AND `+gaveLicense+`)`,
			userID, emailKey)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		claimed = int(n)
		return err
	})
	return claimed, err
}

// CreateClaim implements order.ClaimStore.
func (s *Claims) CreateClaim(ctx context.Context, c order.Claim) error {
	_, err := s.Write.ExecContext(ctx, `
		INSERT INTO order_claims (token_hash, user_id, email_key, created_at_ms)
		VALUES ($1, $2, $3, $4)`, c.Hash, c.UserID, c.EmailKey, database.Millis(c.CreatedAt))
	return s.Wrap(err, "Claim")
}

// TakeClaim implements order.ClaimStore.
func (s *Claims) TakeClaim(ctx context.Context, hash, userID string, since time.Time) (order.Claim, error) {
	c := order.Claim{Hash: hash, UserID: userID}
	err := s.Conn.InTx(ctx, func(tx database.Conn) error {
		err := tx.Write.QueryRowContext(ctx, `
			DELETE FROM order_claims WHERE token_hash = $1 AND user_id = $2 AND created_at_ms > $3
			RETURNING email_key, created_at_ms`, hash, userID, database.Millis(since),
		).Scan(&c.EmailKey, database.ScanMillis(&c.CreatedAt))
		if err != nil {
			return tx.Wrap(err, "Claim")
		}
		_, err = tx.Write.ExecContext(ctx, `
			DELETE FROM order_claims WHERE user_id = $1 AND email_key = $2`, userID, c.EmailKey)
		return err
	})
	if err != nil {
		return order.Claim{}, err
	}
	return c, nil
}

// DeleteClaims implements order.ClaimStore.
func (s *Claims) DeleteClaims(ctx context.Context, until time.Time) error {
	_, err := s.Write.ExecContext(ctx, `DELETE FROM order_claims WHERE created_at_ms <= $1`, database.Millis(until))
	return err
}
