package store

import (
	"context"
	"time"

	"stoa/internal/account"
	"stoa/internal/data/database"
)

// CreateReset implements account.Resets.
func (a *Account) CreateReset(ctx context.Context, r account.Reset) error {
	_, err := a.Write.ExecContext(ctx, `
		INSERT INTO password_resets (token_hash, user_id, open, created_at_ms)
		VALUES ($1, $2, $3, $4)`, r.Hash, r.UserID, true, database.Millis(r.CreatedAt))
	return a.Wrap(err, "Reset")
}

// OpenReset implements account.Resets.
func (a *Account) OpenReset(ctx context.Context, hash string) (account.Reset, error) {
	r := account.Reset{Hash: hash}
	err := a.Read.QueryRowContext(ctx, `
		SELECT user_id, created_at_ms FROM password_resets WHERE token_hash = $1 AND open`, hash,
	).Scan(&r.UserID, database.ScanMillis(&r.CreatedAt))
	if err != nil {
		return account.Reset{}, a.Wrap(err, "Reset")
	}
	return r, nil
}

// CountResets implements account.Resets.
func (a *Account) CountResets(ctx context.Context, userID string, since time.Time) (n int, err error) {
	err = a.Read.QueryRowContext(ctx, `
		SELECT COUNT(*) FROM password_resets WHERE user_id = $1 AND created_at_ms > $2`, userID, database.Millis(since),
	).Scan(&n)
	return n, err
}

// VoidResets implements account.Resets.
func (a *Account) VoidResets(ctx context.Context, userID string) error {
	_, err := a.Write.ExecContext(ctx, `UPDATE password_resets SET open = $1 WHERE user_id = $2 AND open`, false, userID)
	return err
}

// DeleteResets implements account.Resets.
func (a *Account) DeleteResets(ctx context.Context, until time.Time) error {
	_, err := a.Write.ExecContext(ctx, `DELETE FROM password_resets WHERE created_at_ms <= $1`, database.Millis(until))
	return err
}
