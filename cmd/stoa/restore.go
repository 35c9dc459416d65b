package main

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"time"

	"stoa/internal/app"
	"stoa/internal/app/datafolder"
	"stoa/internal/keep/backup"
	"stoa/internal/operate/settings"
	"stoa/internal/trust/masterkey"
)

type restoreCmd struct {
	datafolder.Folder
	settings.BackupKey

	Path string `arg:"" help:"The backup: a file, or s3://bucket/prefix/name?endpoint=… (docs/storage.md). Without a name, the latest there."`
}

// Run restores a backup into a place where nothing is yet.
func (c restoreCmd) Run(ctx context.Context, std streams) error {
	key, err := backupKey(c.BackupKey)
	if err != nil {
		return err
	}
	target := backup.Target{
		DatabaseURL: cmp.Or(c.DatabaseURL, filepath.Join(c.Data, "stoa.db")), DataDir: c.Data,
		Folders: app.DataFolders(), Flat: app.FlatFolders(), MasterKey: settings.MasterKey.Value(),
		NextMasterKey: settings.MasterKeyNext.Value(), Version: version(),
	}
	var storageURL string
	if target.Storage, storageURL, err = c.OpenStorage(); err != nil {
		return err
	}
	from, err := openBackup(ctx, c.Path)
	if err != nil {
		return err
	}
	defer from.Close()
	fmt.Fprintf(std.err, "database: %s\n", datafolder.WithoutPassword(target.DatabaseURL))
	datafolder.ShowStorage(std.err, target.Storage)
	fmt.Fprintf(std.err, "backup: %s\n", from.at)
	began := time.Now()
	done, err := target.Restore(ctx, from, key)
	if err != nil {
		return err
	}
	if done.Header.PlatformID != "" { // so that serve without a setting does not make a new shop
		last := datafolder.Served{
			Database:   datafolder.Recorded(target.DatabaseURL, c.Data),
			DatabaseID: done.Header.PlatformID, Version: done.Header.Stoa, Storage: storageURL,
		}
		if err := last.Write(c.Data); err != nil {
			return err
		}
	}
	fmt.Fprintf(std.out, "restored: %s, in %s\n", contents(done), time.Since(began).Round(time.Millisecond))
	for _, name := range done.Manifest.Missing {
		fmt.Fprintf(std.out, "missing already when the backup was made: %s\n", name)
	}
	if done.WroteKey {
		fmt.Fprintf(std.out, "the master key is in %s\n", filepath.Join(c.Data, masterkey.File))
	}
	return nil
}
