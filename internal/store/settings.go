package store

import (
	"context"
	"database/sql"
	"errors"

	"stoa/internal/data/database"
)

// Names of settings.
const (
	SettingPlatformID     = "platform_id"      // identifies the installation
	SettingMasterKeyCheck = "master_key_check" // masterkey.Proof of the key that seals
	// SettingRewrap is the progress of a rewrap (package rewrap). It exists while values may be
	// sealed with the key that is being replaced.
	SettingRewrap = "master_key_rewrap"
	// SettingRetiredKeys are the names (seal.Key.ID) of the master keys that rewraps replaced,
	// separated by spaces.
	SettingRetiredKeys = "master_key_retired"
	// SettingIdempotencySecret is the sealed secret of idempotency.Keeper.
	SettingIdempotencySecret = "idempotency_hash_secret" //nolint:gosec // a name, not a secret
	// SettingCustomerSecret is the sealed secret with which discount.Service hashes mailboxes.
	SettingCustomerSecret = "customer_hash_secret"
	// SettingArchiveTypes are the file types that packages may contain beyond those of their kind, as
	// JSON (site.Settings).
	SettingArchiveTypes = "archive_types"
)

// Settings are facts about this installation that all replicas share, such as its
// platform id.
type Settings struct{ database.Conn }

// NewSettings returns the settings of db.
func NewSettings(db *database.DB) *Settings { return &Settings{db.Conn()} }

// Once returns the value of a setting, after setting it to value if it has none. If
// several replicas call it at once, all get the same answer.
func (s *Settings) Once(ctx context.Context, name, value string) (string, error) {
	_, err := s.Write.ExecContext(ctx, `
		INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING`, name, value)
	if err != nil {
		return "", err
	}
	var stored string
	err = s.Read.QueryRowContext(ctx, `SELECT value FROM settings WHERE name = $1`, name).Scan(&stored)
	return stored, err
}

// Find returns the value of a setting, and whether it has one.
func (s *Settings) Find(ctx context.Context, name string) (value string, found bool, err error) {
	err = s.Read.QueryRowContext(ctx, `SELECT value FROM settings WHERE name = $1`, name).Scan(&value)
	if errors.Is(err, sql.ErrNoRows) {
		return "", false, nil
	}
	return value, err == nil, err
}

// FindLocked is Find in a transaction. It locks the setting until that ends.
func (s *Settings) FindLocked(ctx context.Context, name string) (value string, found bool, err error) {
	err = s.Read.QueryRowContext(ctx, `SELECT value FROM settings s WHERE name = $1`+s.Lock("s"), name).Scan(&value)
	if errors.Is(err, sql.ErrNoRows) {
		return "", false, nil
	}
	return value, err == nil, err
}

// Delete removes a setting.
func (s *Settings) Delete(ctx context.Context, name string) error {
	_, err := s.Write.ExecContext(ctx, `DELETE FROM settings WHERE name = $1`, name)
	return err
}

// Put sets a setting to value.
func (s *Settings) Put(ctx context.Context, name, value string) error {
	_, err := s.Write.ExecContext(ctx, `
		INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
		name, value)
	return err
}
