package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"stoa/internal/keep/rewrap"
	"stoa/internal/operate/settings"
	"stoa/internal/store"
	"stoa/internal/trust/seal"
)

// checkSchema migrates the schema and logs each migration, or, with KeepSchema, only checks that it
// is up to date.
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

// leaveWithin is the time limit for recording that this process no longer uses the database.
const leaveWithin = 2 * time.Second

// joinMasterKey returns an error if this database's secrets were sealed with another master key.
// Without this check, each use of a secret would fail later.
func (a *App) joinMasterKey(ctx context.Context, cfg Config) error {
	host, _ := os.Hostname() // for people
	a.lost = make(chan error, 1)
	a.member = &rewrap.Member{
		DB: a.DB, Keys: cfg.MasterKey, Next: cfg.NextMasterKey, Log: cfg.Log,
		Lost: func(err error) { a.lost <- err },
		Wrote: func() {
			if a.outages.Wrote() {
				cfg.Log.InfoContext(ctx, "the database can be written again")
			}
		},
		ReportEvery: cfg.WriteEvery,
		Name:        fmt.Sprintf("%s, process %d", cmp.Or(host, "a host without a name"), os.Getpid()),
	}
	err := a.member.Join(ctx)
	if errors.Is(err, rewrap.ErrOtherKey) {
		return settings.Wrong(err)
	}
	return err
}

// hashSecret returns the secret with which something is hashed that is not stored itself, such as
// idempotency keys. It is what was derived from the first master key, and stays the same when that is replaced:
// the hashes cannot be recomputed. name is the setting that keeps it.
func (a *App) hashSecret(ctx context.Context, keys *seal.Keys, name string, derived []byte) ([]byte, error) {
	box := keys.Box(rewrap.SettingBox)
	sealed, err := store.NewSettings(a.DB).Once(ctx, name, box.Seal(derived, name))
	if err != nil {
		return nil, err
	}
	secret, err := box.Open(sealed, name)
	if err != nil {
		return nil, fmt.Errorf("the setting %s: %w", name, err)
	}
	return secret, nil
}
