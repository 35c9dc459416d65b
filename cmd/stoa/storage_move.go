package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"strings"
	"time"

	"stoa/internal/app"
	"stoa/internal/app/datafolder"
	"stoa/internal/data/blob"
	"stoa/internal/data/blob/s3"
	"stoa/internal/data/database"
	"stoa/internal/store"
)

type storageCmd struct {
	Move storageMoveCmd `cmd:"" help:"Copy package files and media from one storage to another, while stoa runs (docs/storage.md). What is there already is left alone, so that it can be repeated after it was interrupted."`
}

type storageMoveCmd struct {
	datafolder.Folder

	From string
	To   string
}

// Run copies everything that the database refers to.
func (c storageMoveCmd) Run(ctx context.Context, std streams) (err error) {
	from, closeFrom, err := c.place(c.From)
	if err != nil {
		return fmt.Errorf("--from: %w", err)
	}
	defer closeFrom()
	to, closeTo, err := c.place(c.To)
	if err != nil {
		return fmt.Errorf("--to: %w", err)
	}
	defer closeTo()
	if from.Address() == to.Address() && (c.From == datafolder.OnDisk || c.From == c.To) {
		return errors.New("--from and --to are the same place")
	}
	at, err := c.OpenExisting(ctx, std.err)
	if err != nil {
		return err
	}
	db, err := database.Open(at)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	platformID, _, err := store.NewSettings(db).Find(ctx, store.SettingPlatformID)
	if err != nil {
		return err
	}
	if c.To != datafolder.OnDisk {
		if owner, err := blob.Owner(ctx, to); err != nil {
			return err
		} else if owner != "" && owner != platformID {
			return fmt.Errorf("%s has the files of another shop: give each a bucket or a prefix of its own", to.Address())
		}
	}
	items, err := storedFiles(ctx, db, from)
	if err != nil {
		return err
	}
	began := time.Now()
	done, err := blob.Move(ctx, from, to, items, os.TempDir())
	fmt.Fprintf(std.out, "from %s to %s: copied %d files of %d bytes, %d were there already, in %s\n",
		from.Address(), to.Address(), done.Copied, done.Bytes, done.Present, time.Since(began).Round(time.Millisecond))
	if err != nil {
		return fmt.Errorf("%w\nRun the command again: it goes on where it stopped", err)
	}
	if len(done.Missing) > 0 {
		return fmt.Errorf("missing or altered in %s: %s\nRestore these files from a backup, or install the packages again, "+
			"and run the command again", from.Address(), strings.Join(done.Missing, ", "))
	}
	if c.To != datafolder.OnDisk {
		if err := blob.Claim(ctx, to, platformID); err != nil {
			return err
		}
	}
	fmt.Fprintf(std.out, "Next: stop every stoa of this shop, run the command once more for what was added meanwhile, "+
		"and start them with STOA_STORAGE_URL='%s'. Nothing was removed from %s.\n", c.To, from.Address())
	return nil
}

// place opens a storage.
func (c storageMoveCmd) place(at string) (blob.Store, func(), error) {
	if at == datafolder.OnDisk {
		f, err := blob.OpenFolder(c.Data)
		if err != nil {
			return nil, nil, err
		}
		return f, func() { _ = f.Close() }, nil
	}
	bucket, err := s3.Open(at, os.Getenv)
	if err != nil {
		return nil, nil, err
	}
	return bucket, func() {}, nil
}

// storedFiles returns the archives that the database refers to, and the files with their hash for
// a name.
func storedFiles(ctx context.Context, db *database.DB, from blob.Store) ([]blob.Item, error) {
	packages, err := store.PackageFiles(ctx, db.Conn())
	if err != nil {
		return nil, err
	}
	var items []blob.Item
	for _, p := range packages {
		items = append(items, blob.Item{Key: p.Archive(), SHA256: p.Hash})
	}
	for _, folder := range app.FlatFolders() {
		list, err := from.List(ctx, folder+"/")
		if err != nil {
			return nil, err
		}
		for _, o := range list {
			if hash, ok := blob.HashOf(path.Base(o.Key)); ok {
				items = append(items, blob.Item{Key: o.Key, SHA256: hash})
			}
		}
	}
	return items, nil
}
