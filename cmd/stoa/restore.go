package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"stoa/internal/app"
	"stoa/internal/backup"
	"stoa/internal/masterkey"
)

type restoreCmd struct {
	storage
	backupKey

	Path string `arg:"" help:"The backup." type:"existingfile"`
}

// Run restores a backup into a place where nothing is yet.
func (c restoreCmd) Run(ctx context.Context, std streams) error {
	key, err := c.key()
	if err != nil {
		return err
	}
	target := backup.Target{
		DatabaseURL: cmp.Or(c.DatabaseURL, filepath.Join(c.Data, "stoa.db")), DataDir: c.Data,
		Folders: app.DataFolders(), MasterKey: os.Getenv(envMasterKey),
		NextMasterKey: os.Getenv(envMasterKeyNext), Version: version(),
	}
	fmt.Fprintf(std.err, "database: %s\n", withoutPassword(target.DatabaseURL))
	began := time.Now()
	done, err := read(c.Path, func(r io.Reader) (backup.Restored, error) { return target.Restore(ctx, r, key) })
	if err != nil {
		return err
	}
	if done.Header.PlatformID != "" { // so that serve without a setting does not make a new shop
		last := served{
			Database:   recorded(target.DatabaseURL, c.Data),
			DatabaseID: done.Header.PlatformID, Version: done.Header.Stoa,
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
