package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"stoa/internal/app"
	"stoa/internal/keep/backup"
	"stoa/internal/trust/masterkey"
)

type restoreCmd struct {
	storage
	backupKey

	Path string `arg:"" help:"The backup: a file, or s3://bucket/prefix/name?endpoint=… (docs/storage.md). Without a name, the latest there."`
}

// Run restores a backup into a place where nothing is yet.
func (c restoreCmd) Run(ctx context.Context, std streams) error {
	key, err := c.key()
	if err != nil {
		return err
	}
	target := backup.Target{
		DatabaseURL: cmp.Or(c.DatabaseURL, filepath.Join(c.Data, "stoa.db")), DataDir: c.Data,
		Folders: app.DataFolders(), Flat: app.FlatFolders(), MasterKey: os.Getenv(envMasterKey),
		NextMasterKey: os.Getenv(envMasterKeyNext), Version: version(),
	}
	var storageURL string
	if target.Storage, storageURL, err = c.openStorage(); err != nil {
		return err
	}
	from, err := openBackup(ctx, c.Path)
	if err != nil {
		return err
	}
	defer from.Close()
	fmt.Fprintf(std.err, "database: %s\n", withoutPassword(target.DatabaseURL))
	showStorage(std.err, target.Storage)
	fmt.Fprintf(std.err, "backup: %s\n", from.at)
	began := time.Now()
	done, err := target.Restore(ctx, from, key)
	if err != nil {
		return err
	}
	if done.Header.PlatformID != "" { // so that serve without a setting does not make a new shop
		last := served{
			Database:   recorded(target.DatabaseURL, c.Data),
			DatabaseID: done.Header.PlatformID, Version: done.Header.Stoa, Storage: storageURL,
		}
		if err := last.write(c.Data); err != nil {
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
