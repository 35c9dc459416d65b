package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"stoa/internal/app"
	"stoa/internal/app/datafolder"
	"stoa/internal/data/blob/s3"
	"stoa/internal/data/database"
	"stoa/internal/keep/backup"
	"stoa/internal/operate/settings"
	"stoa/internal/store"
	"stoa/internal/trust/masterkey"
)

type backupCmd struct {
	Create backupCreateCmd `cmd:"" default:"withargs" help:"Back up the database and all files into one archive, while stoa runs (docs/backup.md). This is what stoa backup without a subcommand does."`
	Verify backupVerifyCmd `cmd:"" help:"Restore a backup into a temporary folder and compare every row and file with what was backed up."`
}

// backupKey returns what opens backups.
func backupKey(k settings.BackupKey) (backup.Key, error) {
	key := backup.Key{Passphrase: settings.BackupPassphrase.Value()}
	if k.BackupIdentity != "" {
		text, err := os.ReadFile(k.BackupIdentity)
		if err != nil {
			return key, err
		}
		key.Identities = string(text)
	}
	return key, nil
}

type backupCreateCmd struct {
	datafolder.Folder
	settings.BackupLock

	BackupDir  string `type:"path"`
	BackupURL  string `aliases:"to"`
	BackupFile string `type:"path"`
}

// Run makes a backup.
func (c backupCreateCmd) Run(ctx context.Context, std streams) (err error) {
	if c.BackupDir == "" && c.BackupURL == "" && c.BackupFile == "" {
		return errors.New("say where the backup should be: --backup-dir, --backup-url or --backup-file")
	}
	lock, err := app.BackupLock(c.BackupLock)
	if err != nil {
		return err
	}
	at, err := c.OpenExisting(ctx, std.err)
	if err != nil {
		return err
	}
	keys, err := masterkey.Known(settings.MasterKey.Value(), settings.MasterKeyNext.Value(), c.Data)
	if err != nil {
		return err
	}
	db, err := database.Open(at)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	from := backup.Source{
		DB: db, DataDir: c.Data, Folders: app.DataFolders(), Flat: app.FlatFolders(), MasterKeys: keys,
		Version: version(), Now: time.Now,
	}
	if from.Storage, _, err = c.OpenStorage(); err != nil {
		return err
	}
	datafolder.ShowStorage(std.err, from.Storage)
	to, where, err := c.create(ctx, lock)
	if err != nil {
		return err
	}
	began := time.Now()
	m, size, err := from.Put(ctx, to, lock)
	if err != nil {
		return err
	}
	took := time.Since(began)
	if recorded, err := db.HasTable(ctx, "backup_jobs"); err != nil {
		return err
	} else if recorded { // not before stoa migrate
		err := store.NewBackupJobs(db).Succeeded(ctx, "", store.BackupJob{
			Kind: store.BackupTaken, Name: path.Base(where), Bytes: size, Took: took,
		})
		if err != nil {
			return err
		}
	}
	for _, name := range m.Missing {
		fmt.Fprintf(std.err, "missing where the files of the shop are, and so in the backup: %s\n", name)
	}
	fmt.Fprintf(std.out, "%s written: %d bytes, %d rows, %d files of %d bytes, in %s\n",
		where, size, m.Rows(), len(m.Files), m.Bytes(), took.Round(time.Millisecond))
	if !lock.On() {
		fmt.Fprintln(std.out, "It is not encrypted: keep it private. It does not have the master key: keep that elsewhere.")
	}
	return nil
}

// create begins a backup where the flags say, and returns where that is.
func (c backupCreateCmd) create(ctx context.Context, lock backup.Lock) (backup.Upload, string, error) {
	if c.BackupFile != "" {
		to, err := backup.CreateFile(c.BackupFile)
		return to, c.BackupFile, err
	}
	place, err := app.BackupPlace(settings.BackupPlace{BackupDir: c.BackupDir, BackupURL: c.BackupURL})
	if err != nil {
		return nil, "", err
	}
	name := backup.Name(time.Now(), lock.On())
	to, err := place.Create(ctx, name)
	if o, ok := place.(backup.Objects); ok {
		return to, o.Bucket.Address() + "/" + name, err
	}
	return to, filepath.Join(c.BackupDir, name), err
}

type backupVerifyCmd struct {
	datafolder.Folder
	settings.BackupKey

	Path    string `arg:"" help:"The backup: a file, or s3://bucket/prefix/name?endpoint=… (docs/storage.md). Without a name, the latest there."`
	Scratch string `type:"existingdir"`
}

// Run verifies a backup.
func (c backupVerifyCmd) Run(ctx context.Context, std streams) error {
	key, err := backupKey(c.BackupKey)
	if err != nil {
		return err
	}
	began := time.Now()
	target := backup.Target{Folders: app.DataFolders(), Version: version()}
	from, err := openBackup(ctx, c.Path)
	if err != nil {
		return err
	}
	defer from.Close()
	done, err := target.Verify(ctx, from, key, cmp.Or(c.Scratch, os.TempDir()))
	if recording := c.record(ctx, from, done.Header.PlatformID, time.Since(began), err); recording != nil {
		fmt.Fprintln(std.err, "the result could not be recorded for the metrics of the shop:", recording)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(std.out, "%s is whole: %s, in %s\n", from.at, contents(done), time.Since(began).Round(time.Millisecond))
	return nil
}

// record keeps the result in the database of the shop that the backup is of, if that is the
// one at hand.
func (c backupVerifyCmd) record(
	ctx context.Context, from *openedBackup, platformID string, took time.Duration, result error,
) error {
	at, err := c.FindDatabase(ctx)
	if err != nil || platformID == "" {
		return err
	}
	if f, err := datafolder.Inspect(ctx, at); err != nil || f.ID != platformID {
		return err
	}
	db, err := database.Open(at)
	if err != nil {
		return err
	}
	jobs := store.NewBackupJobs(db)
	if name := path.Base(from.at); result != nil {
		err = jobs.Failed(ctx, store.BackupVerified, "", name+": "+result.Error())
	} else {
		err = jobs.Succeeded(ctx, "", store.BackupJob{Kind: store.BackupVerified, Name: name, Bytes: from.size, Took: took})
	}
	return errors.Join(err, db.Close())
}

// openedBackup is a backup that is being read.
type openedBackup struct {
	io.ReadCloser

	at   string // where it is, for people
	size int64
}

// openBackup opens the backup in a file, or in object storage at an s3:// URL: without the name
// of a backup, the latest there.
func openBackup(ctx context.Context, at string) (*openedBackup, error) {
	if !strings.HasPrefix(at, s3.Scheme) {
		file, err := os.Open(at) //nolint:gosec // the operator's own choice
		if err != nil {
			return nil, err
		}
		info, err := file.Stat()
		if err != nil {
			return nil, errors.Join(err, file.Close())
		}
		return &openedBackup{file, at, info.Size()}, nil
	}
	prefix, options, _ := strings.Cut(at, "?")
	name := path.Base(prefix)
	if backup.IsName(name) {
		prefix = strings.TrimSuffix(prefix, "/"+name)
	} else {
		name = ""
	}
	bucket, err := s3.Open(prefix+"?"+options, os.Getenv)
	if err != nil {
		return nil, err
	}
	if name == "" {
		names, err := backup.Objects{Bucket: bucket}.List(ctx)
		if err != nil {
			return nil, err
		}
		if len(names) == 0 {
			return nil, fmt.Errorf("there is no backup in %s", bucket.Address())
		}
		name = names[len(names)-1]
	}
	body, object, err := bucket.Get(ctx, name)
	if err != nil {
		return nil, err
	}
	return &openedBackup{body, bucket.Address() + "/" + name, object.Size}, nil
}

// contents says what is in a backup.
func contents(done backup.Restored) string {
	h, m := done.Header, done.Manifest
	return fmt.Sprintf("%d rows and %d files of %s, stoa %s with schema %d",
		m.Rows(), len(m.Files), h.CreatedAt.Format(time.RFC3339), h.Stoa, h.Schema)
}
