package app

import (
	"context"
	"log/slog"
	"path/filepath"
	"time"

	"stoa/internal/keep/backup"
	"stoa/internal/operate/ops"
	"stoa/internal/store"
)

// BackupConfig configures the App's scheduled backups. Without a Place it makes none.
type BackupConfig struct {
	Place backup.Place
	// Every is the time from one backup to the next, Keep how many of them to keep.
	Every time.Duration
	Keep  int
	// VerifyEvery is the time from one verification to the next; 0 means never. Key opens the
	// backups. Verification restores into Scratch; if empty, into tmp in the data folder.
	VerifyEvery time.Duration
	Key         backup.Key
	Scratch     string

	Lock backup.Lock
}

// every returns the time from one backup to the next; 0 if none are made.
func (c BackupConfig) every() time.Duration {
	if c.Place == nil {
		return 0
	}
	return c.Every
}

// keepBackups makes backups in the background, if any are configured.
func (a *App) keepBackups(ctx context.Context, cfg Config) {
	if cfg.Backup.Place == nil {
		return
	}
	if cfg.Backup.Scratch == "" {
		cfg.Backup.Scratch = filepath.Join(cfg.DataDir, "tmp")
	}
	k := &backup.Schedule{
		Source: backup.Source{
			DB: a.DB, DataDir: cfg.DataDir, Folders: DataFolders(), Flat: FlatFolders(), Storage: cfg.Storage,
			MasterKeys: cfg.MasterKey, Version: cfg.Version, Now: time.Now, // they name files, so they follow the system's clock
		},
		Lock: cfg.Backup.Lock, Place: cfg.Backup.Place, Every: cfg.Backup.Every, Keep: cfg.Backup.Keep,
		VerifyEvery: cfg.Backup.VerifyEvery, Key: cfg.Backup.Key, Scratch: cfg.Backup.Scratch,
		Jobs: store.NewBackupJobs(a.DB), Log: cfg.Log, Missed: &a.missed,
	}
	a.background.Go(func() { k.Run(ctx) })
}

// backupRuns returns the last results of the backup jobs, for metrics.
func (a *App) backupRuns(log *slog.Logger) func(ctx context.Context) []ops.BackupRun {
	jobs := store.NewBackupJobs(a.DB)
	return func(ctx context.Context) []ops.BackupRun {
		list, err := jobs.List(ctx)
		if err != nil {
			log.WarnContext(ctx, "cannot read the metrics of backups", slog.Any("err", err))
			list = a.missed.Known()
		}
		var runs []ops.BackupRun
		for _, j := range list {
			j = a.missed.Amend(j)
			runs = append(runs, ops.BackupRun{
				Job: j.Kind, OK: j.OK(), OKAt: j.OKAt, FailedAt: j.FailedAt, Bytes: j.Bytes, Took: j.Took,
			})
		}
		return runs
	}
}
