package store

import (
	"context"
	"time"

	"stoa/internal/account"
	"stoa/internal/account/mailbox"
	"stoa/internal/data/database"
)

// SetEmail implements account.Proofs.
func (a *Account) SetEmail(ctx context.Context, id, email string, proven time.Time) error {
	defer a.Settle(ctx)
	res, err := a.Write.ExecContext(ctx, `
		UPDATE users SET email = $1, email_key = $2, mailbox_key = $3, email_proven_at_ms = $4 WHERE id = $5`,
		email, account.Key(email), mailbox.Key(email), sinceEpoch(proven), id)
	return database.Affected(res, a.Wrap(err, "User"), "User")
}

// SetProven implements account.Proofs.
func (a *Account) SetProven(ctx context.Context, id string, at time.Time) error {
	res, err := a.Write.ExecContext(ctx, `UPDATE users SET email_proven_at_ms = $1 WHERE id = $2`, sinceEpoch(at), id)
	return database.Affected(res, err, "User")
}

// CancelDeletion implements account.Proofs.
func (a *Account) CancelDeletion(ctx context.Context, id string) error {
	_, err := a.Write.ExecContext(ctx, `UPDATE users SET deletion_at_ms = 0 WHERE id = $1 AND deletion_at_ms <> 0`, id)
	return err
}

// RemoveWays implements account.Proofs.
func (a *Account) RemoveWays(ctx context.Context, userID string, w account.Ways) error {
	tables := []string{"sign_in_challenges", "ceremonies", "oidc_flows", "identities", "api_keys"}
	if w.Factors {
		tables = append(tables, "passkeys", "recovery_codes", "factor_resets")
		// Somebody may have set an app up earlier, and switched it on since.
		_, err := a.Write.ExecContext(ctx,
			`DELETE FROM totp WHERE user_id = $1 AND (created_at_ms >= $2 OR confirmed_at_ms >= $2)`,
			userID, sinceEpoch(w.Since))
		if err != nil {
			return err
		}
	}
	_, err := a.Write.ExecContext(ctx, `DELETE FROM known_devices WHERE user_id = $1`, userID)
	if err != nil {
		return err
	}
	for _, table := range tables {
		_, err := a.Write.ExecContext(ctx, `DELETE FROM `+table+` WHERE user_id = $1 AND created_at_ms >= $2`,
			userID, sinceEpoch(w.Since))
		if err != nil {
			return err
		}
	}
	return nil
}
