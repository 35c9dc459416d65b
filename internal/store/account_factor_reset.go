package store

import (
	"context"

	"stoa/internal/account"
	"stoa/internal/data/database"
)

// FactorReset implements account.FactorResets.
func (a *Account) FactorReset(ctx context.Context, userID string) (account.FactorReset, error) {
	r := account.FactorReset{UserID: userID}
	err := a.Read.QueryRowContext(ctx,
		`SELECT staff_id, created_at_ms, due_at_ms FROM factor_resets WHERE user_id = $1`, userID,
	).Scan(&r.By, database.ScanMillis(&r.CreatedAt), database.ScanMillis(&r.DueAt))
	return r, a.Wrap(err, "Removal of a second factor")
}

// PutFactorReset implements account.FactorResets.
func (a *Account) PutFactorReset(ctx context.Context, r account.FactorReset) error {
	_, err := a.Write.ExecContext(ctx, `
		INSERT INTO factor_resets (user_id, staff_id, created_at_ms, due_at_ms) VALUES ($1, $2, $3, $4)
		ON CONFLICT (user_id) DO UPDATE
		SET staff_id = excluded.staff_id, created_at_ms = excluded.created_at_ms, due_at_ms = excluded.due_at_ms`,
		r.UserID, r.By, database.Millis(r.CreatedAt), database.Millis(r.DueAt))
	return err
}

// DeleteFactorReset implements account.FactorResets.
func (a *Account) DeleteFactorReset(ctx context.Context, userID string) error {
	_, err := a.Write.ExecContext(ctx, `DELETE FROM factor_resets WHERE user_id = $1`, userID)
	return err
}
