package app

import (
	"context"
	"errors"
	"log/slog"

	"stoa/internal/masterkey"
	"stoa/internal/seal"
	"stoa/internal/store"
)

// checkSchema brings the schema up to date and logs what that took, or, with
// KeepSchema, only checks it.
func (a *App) checkSchema(ctx context.Context, cfg Config) error {
	if cfg.KeepSchema {
		return store.CheckSchema(ctx, a.DB, cfg.Version)
	}
	applied, err := store.Migrate(ctx, a.DB, cfg.Version)
	for _, m := range applied {
		cfg.Log.InfoContext(ctx, "migration applied", slog.String("name", m.Name), slog.Duration("took", m.Took))
	}
	return err
}

var errOtherKey = errors.New("this database belongs to another master key: " +
	"set STOA_MASTER_KEY, or restore the master.key file it was created with")

// checkMasterKey returns an error if this database's secrets were sealed with another
// master key. Otherwise each of them would fail later, on its own.
func (a *App) checkMasterKey(ctx context.Context, key *seal.Key) error {
	stored, err := store.NewSettings(a.DB).Once(ctx, store.SettingMasterKeyCheck, masterkey.Proof(key))
	if err != nil {
		return err
	}
	if !masterkey.Proves(key, stored) {
		return errOtherKey
	}
	return nil
}
