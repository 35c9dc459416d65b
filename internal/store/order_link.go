package store

import (
	"context"
	"time"

	"stoa/internal/data/database"
	"stoa/internal/shop/order"
)

// CreateLink implements order.ReceiptStore.
func (s *Receipts) CreateLink(ctx context.Context, l order.Link) error {
	_, err := s.Write.ExecContext(ctx, `
		INSERT INTO order_links (token_hash, email_key, email, created_at_ms)
		VALUES ($1, $2, $3, $4)`, l.Hash, l.EmailKey, l.Email, database.Millis(l.CreatedAt))
	return s.Wrap(err, "Link")
}

// DeleteLinks implements order.ReceiptStore.
func (s *Receipts) DeleteLinks(ctx context.Context, until time.Time) error {
	_, err := s.Write.ExecContext(ctx, `DELETE FROM order_links WHERE created_at_ms <= $1`, database.Millis(until))
	return err
}

// Link implements order.ClaimStore.
func (s *Claims) Link(ctx context.Context, hash string, since time.Time) (order.Link, error) {
	l := order.Link{Hash: hash}
	err := s.Read.QueryRowContext(ctx, `
		SELECT email_key, email, created_at_ms FROM order_links WHERE token_hash = $1 AND created_at_ms > $2`,
		hash, database.Millis(since)).Scan(&l.EmailKey, &l.Email, database.ScanMillis(&l.CreatedAt))
	if err != nil {
		return order.Link{}, s.Wrap(err, "Link")
	}
	return l, nil
}

// TakeLink implements order.ClaimStore.
func (s *Claims) TakeLink(ctx context.Context, hash, emailKey string, since time.Time) error {
	return s.Conn.InTx(ctx, func(tx database.Conn) error {
		var taken string
		err := tx.Write.QueryRowContext(ctx, `
			DELETE FROM order_links WHERE token_hash = $1 AND email_key = $2 AND created_at_ms > $3
			RETURNING token_hash`, hash, emailKey, database.Millis(since)).Scan(&taken)
		if err != nil {
			return tx.Wrap(err, "Link")
		}
		_, err = tx.Write.ExecContext(ctx, `DELETE FROM order_links WHERE email_key = $1`, emailKey)
		return err
	})
}
