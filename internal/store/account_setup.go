package store

import (
	"context"

	"stoa/internal/data/database"
)

// setupSetting is the setting that holds the hash of the set-up token.
const setupSetting = "setup_token"

// PutSetup implements account.SetupTokens.
func (a *Account) PutSetup(ctx context.Context, hash string) error {
	_, err := a.Write.ExecContext(ctx, `
		INSERT INTO settings (name, value) VALUES ($1, $2)
		ON CONFLICT (name) DO UPDATE SET value = excluded.value`, setupSetting, hash)
	return err
}

// HasSetup implements account.SetupTokens.
func (a *Account) HasSetup(ctx context.Context, hash string) (bool, error) {
	var has bool
	err := a.Read.QueryRowContext(ctx, `
		SELECT EXISTS (SELECT 1 FROM settings WHERE name = $1 AND value = $2)`, setupSetting, hash).Scan(&has)
	return has, err
}

// TakeSetup implements account.SetupTokens.
func (a *Account) TakeSetup(ctx context.Context, hash string) error {
	res, err := a.Write.ExecContext(ctx, `DELETE FROM settings WHERE name = $1 AND value = $2`, setupSetting, hash)
	return database.Affected(res, err, "Set-up token")
}

// DropSetup implements account.SetupTokens.
func (a *Account) DropSetup(ctx context.Context) error {
	_, err := a.Write.ExecContext(ctx, `DELETE FROM settings WHERE name = $1`, setupSetting)
	return err
}
