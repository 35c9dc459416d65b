package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"stoa/internal/data/database"
	"stoa/internal/shop/order"
)

// Allow implements order.ClaimStore.
func (s *Claims) Allow(ctx context.Context, name string, a order.Allowance, now time.Time) (time.Time, error) {
	return allow(ctx, s.Conn, name, a, now)
}

// Allow implements order.ReceiptStore.
func (s *Receipts) Allow(ctx context.Context, name string, a order.Allowance, now time.Time) (time.Time, error) {
	return allow(ctx, s.Conn, name, a, now)
}

// Allow implements order.Trials.
func (s *Orders) Allow(ctx context.Context, name string, a order.Allowance, now time.Time) (time.Time, error) {
	return allow(ctx, s.Conn, name, a, now)
}

// DeleteAllowances implements order.ReceiptStore.
func (s *Receipts) DeleteAllowances(ctx context.Context, now time.Time) error {
	_, err := s.Write.ExecContext(ctx, `DELETE FROM mail_allowances WHERE until_ms <= $1`, database.Millis(now))
	return err
}

// allow counts a mail against an allowance. It returns the zero time if the mail may
// go, or else when the next one may.
//
// The rule is GCRA, in one statement so that it holds under concurrent use. Each
// mail moves until_ms on by a.Every, and the next is allowed while until_ms is no
// more than a.AtOnce-1 of these steps in the future.
func allow(
	ctx context.Context, c database.Conn, name string, a order.Allowance, now time.Time,
) (time.Time, error) {
	ahead := time.Duration(a.AtOnce-1) * a.Every
	var until time.Time
	err := c.Write.QueryRowContext(ctx, `
		INSERT INTO mail_allowances (name, until_ms) VALUES ($1, $2)
		ON CONFLICT (name) DO UPDATE
			SET until_ms = CASE WHEN mail_allowances.until_ms > $3 THEN mail_allowances.until_ms ELSE $3 END + $4
			WHERE mail_allowances.until_ms <= $5
		RETURNING until_ms`,
		name, database.Millis(now.Add(a.Every)), database.Millis(now), a.Every.Milliseconds(),
		database.Millis(now.Add(ahead)),
	).Scan(database.ScanMillis(&until))
	if err == nil || !errors.Is(err, sql.ErrNoRows) {
		return time.Time{}, err
	}
	err = c.Read.QueryRowContext(ctx, `
		SELECT until_ms FROM mail_allowances WHERE name = $1`, name).Scan(database.ScanMillis(&until))
	if err != nil {
		return time.Time{}, err
	}
	return until.Add(-ahead), nil
}
