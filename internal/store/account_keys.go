package store

import (
	"context"
	"time"

	"stoa/internal/account"
)

// MoveKey implements account.KeyStages.
func (a *Account) MoveKey(ctx context.Context, id string, from, to account.Stage, at time.Time) error {
	res, err := a.w.ExecContext(ctx, `UPDATE signing_keys SET stage = $1, stage_since_ms = $2 WHERE id = $3 AND stage = $4`,
		string(to), toMillis(at), id, string(from))
	return mustChange(res, a.db.wrap(err, "Key"), "Key")
}

// DeletePreviousKey implements account.KeyStages.
func (a *Account) DeletePreviousKey(ctx context.Context, id string) error {
	_, err := a.w.ExecContext(ctx, `DELETE FROM signing_keys WHERE id = $1 AND stage = 'previous'`, id)
	return err
}
