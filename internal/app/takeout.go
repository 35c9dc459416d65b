package app

import (
	"context"
	"log/slog"
	"path/filepath"

	"stoa/internal/account/takeout"
	"stoa/internal/api/portable"
	"stoa/internal/data/blob"
	"stoa/internal/data/duty"
	"stoa/internal/store"
	"stoa/internal/trust/audit"
)

// buildTakeout builds what makes copies of accounts. Their archives are sealed, and neither moved nor backed up: they
// are kept for a week, and in one place: the process that removes one reaches no other replica's disk.
func (a *App) buildTakeout(cfg Config) error {
	folder := filepath.Join(cfg.DataDir, copiesFolder)
	copies, err := blob.OpenDirect(folder, cfg.Storage, copiesFolder+"/")
	if err != nil {
		return err
	}
	if cfg.Storage != nil { // releases before this one kept copies here of what is in the storage
		if err := blob.Clear(folder); err != nil {
			cfg.Log.Warn("archives of accounts that belong in the object storage stay in the data folder until the next start",
				slog.Any("err", err))
		}
	}
	a.copies = copies
	a.Takeout = &takeout.Service{
		Store: store.Takeout{Account: a.Leaving.Store.(store.Leave).Account}, Files: copies,
		Box: cfg.MasterKey.Box(takeout.SealPurpose), Now: cfg.Now, Log: cfg.Log,
		Outbox: a.Leaving.Outbox, PublicURL: cfg.PublicURL,
		Source: &portable.Source{
			Accounts: a.Accounts, Orders: a.Orders, Licenses: a.Licenses, Reviews: a.Reviews,
			Audit: &audit.Log{Store: store.NewAudit(a.DB), Now: cfg.Now}, Plugins: a.hooks,
		},
	}
	return nil
}

// makeCopies makes copies of accounts, in one of the stoa processes on the database.
func (a *App) makeCopies(ctx context.Context, cfg Config) {
	d := &duty.Duty{
		Name: "copies of accounts", Store: store.NewDuties(a.DB), Log: cfg.Log, Lease: keptLease, Grace: keptGrace,
		Every: keptEvery,
	}
	d.Keep(ctx, a.Takeout.Tend)
}
