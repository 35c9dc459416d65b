package store

import (
	"context"
	"time"

	"stoa/internal/account"
	"stoa/internal/data/database"
)

// CreateChallenge implements account.Challenges.
func (a *Account) CreateChallenge(ctx context.Context, c account.Challenge) error {
	_, err := a.Write.ExecContext(ctx, `
		INSERT INTO sign_in_challenges (token_hash, user_id, generation, password_print, tries, first_method, flow_hash,
			created_at_ms)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		c.Hash, c.UserID, c.Generation, c.Print, c.Tries, c.First, database.NullText(c.Flow), database.Millis(c.CreatedAt))
	return a.Wrap(err, "Challenge")
}

// Challenge implements account.Challenges.
func (a *Account) Challenge(ctx context.Context, hash string, after time.Time) (account.Challenge, error) {
	c := account.Challenge{Hash: hash}
	err := a.Read.QueryRowContext(ctx, `
		SELECT user_id, generation, password_print, tries, first_method, COALESCE(flow_hash, ''), created_at_ms
		FROM sign_in_challenges WHERE token_hash = $1 AND created_at_ms > $2`, hash, database.Millis(after),
	).Scan(&c.UserID, &c.Generation, &c.Print, &c.Tries, &c.First, &c.Flow, database.ScanMillis(&c.CreatedAt))
	if err != nil {
		return account.Challenge{}, a.Wrap(err, "Challenge")
	}
	return c, nil
}

// CountTry implements account.Challenges.
func (a *Account) CountTry(ctx context.Context, hash string) error {
	_, err := a.Write.ExecContext(ctx, `UPDATE sign_in_challenges SET tries = tries + 1 WHERE token_hash = $1`, hash)
	return err
}

// DeleteChallenge implements account.Challenges.
func (a *Account) DeleteChallenge(ctx context.Context, hash string) error {
	_, err := a.Write.ExecContext(ctx, `DELETE FROM sign_in_challenges WHERE token_hash = $1`, hash)
	return err
}

// DeleteChallenges implements account.Challenges.
func (a *Account) DeleteChallenges(ctx context.Context, userID string) error {
	_, err := a.Write.ExecContext(ctx, `DELETE FROM sign_in_challenges WHERE user_id = $1`, userID)
	return err
}
