package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"stoa/internal/app"
	"stoa/internal/backup"
	"stoa/internal/database"
	"stoa/internal/masterkey"
	"stoa/internal/store"
)

type backupCmd struct {
	Create backupCreateCmd `cmd:"" default:"withargs" help:"Back up the database and all files into one archive, while stoa runs (docs/backup.md). This is what stoa backup without a subcommand does."`
	Verify backupVerifyCmd `cmd:"" help:"Restore a backup into a temporary folder and compare every row and file with what was backed up."`
}

// backupLock are the flags of everything that encrypts backups.
type backupLock struct {
	BackupRecipients []string `help:"Public keys of age (age1…) that can open the backups. Without them and without STOA_BACKUP_PASSPHRASE, backups are not encrypted, and leave the master key out." env:"STOA_BACKUP_RECIPIENTS" placeholder:"KEY"`
}

func (l backupLock) lock() (backup.Lock, error) {
	lock := backup.Lock{Recipients: l.BackupRecipients, Passphrase: os.Getenv(envBackupPassphrase)}
	return lock, lock.Check()
}

// backupKey are the flags of everything that reads backups.
type backupKey struct {
	BackupIdentity string `help:"File with the secret key of age that opens the backup." env:"STOA_BACKUP_IDENTITY" placeholder:"FILE" type:"existingfile"`
}

func (k backupKey) key() (backup.Key, error) {
	key := backup.Key{Passphrase: os.Getenv(envBackupPassphrase)}
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
	storage
	backupLock

	BackupDir  string `help:"Folder for the backup, which is named after the time." env:"STOA_BACKUP_DIR" placeholder:"DIR" type:"path"`
	BackupFile string `help:"File for the backup, instead of a folder. It must not exist." env:"STOA_BACKUP_FILE" placeholder:"FILE" type:"path"`
}

// Run makes a backup.
func (c backupCreateCmd) Run(ctx context.Context, std streams) (err error) {
	if c.BackupDir == "" && c.BackupFile == "" {
		return errors.New("say where the backup should be: --backup-dir or --backup-file")
	}
	lock, err := c.lock()
	if err != nil {
		return err
	}
	at, err := c.openExisting(ctx, std)
	if err != nil {
		return err
	}
	keys, err := masterkey.Known(os.Getenv(envMasterKey), os.Getenv(envMasterKeyNext), c.Data)
	if err != nil {
		return err
	}
	db, err := database.Open(at)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	from := backup.Source{
		DB: db, DataDir: c.Data, Folders: app.DataFolders(), MasterKeys: keys, Version: version(), Now: time.Now,
	}
	path := c.BackupFile
	if path == "" {
		if err := os.MkdirAll(c.BackupDir, 0o700); err != nil {
			return err
		}
		path = filepath.Join(c.BackupDir, backup.Name(time.Now(), lock.On()))
	}
	to, err := backup.CreateFile(path)
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
			Kind: store.BackupTaken, Name: filepath.Base(path), Bytes: size, Took: took,
		})
		if err != nil {
			return err
		}
	}
	for _, name := range m.Missing {
		fmt.Fprintf(std.err, "missing in the data folder, and so in the backup: %s\n", name)
	}
	fmt.Fprintf(std.out, "%s written: %d bytes, %d rows, %d files of %d bytes, in %s\n",
		path, size, m.Rows(), len(m.Files), m.Bytes(), took.Round(time.Millisecond))
	if !lock.On() {
		fmt.Fprintln(std.out, "It is not encrypted: keep it private. It does not have the master key: keep that elsewhere.")
	}
	return nil
}

type backupVerifyCmd struct {
	storage
	backupKey

	Path    string `arg:"" help:"The backup." type:"existingfile"`
	Scratch string `help:"Folder for the temporary files, which take as much space as the shop. By default the system's." env:"STOA_BACKUP_SCRATCH" placeholder:"DIR" type:"existingdir"`
}

// Run verifies a backup.
func (c backupVerifyCmd) Run(ctx context.Context, std streams) error {
	key, err := c.key()
	if err != nil {
		return err
	}
	began := time.Now()
	target := backup.Target{Folders: app.DataFolders(), Version: version()}
	done, err := read(c.Path, func(r io.Reader) (backup.Restored, error) {
		return target.Verify(ctx, r, key, cmp.Or(c.Scratch, os.TempDir()))
	})
	if recording := c.record(ctx, done.Header.PlatformID, time.Since(began), err); recording != nil {
		fmt.Fprintln(std.err, "the result could not be recorded for the metrics of the shop:", recording)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(std.out, "%s is whole: %s, in %s\n", c.Path, contents(done), time.Since(began).Round(time.Millisecond))
	return nil
}

// record keeps the result in the database of the shop that the backup is of, if that is the
// one at hand.
func (c backupVerifyCmd) record(ctx context.Context, platformID string, took time.Duration, result error) error {
	at, err := c.findDatabase(ctx)
	if err != nil || platformID == "" {
		return err
	}
	if f, err := inspect(ctx, at); err != nil || f.id != platformID {
		return err
	}
	info, err := os.Stat(c.Path)
	if err != nil {
		return err
	}
	db, err := database.Open(at)
	if err != nil {
		return err
	}
	jobs := store.NewBackupJobs(db)
	if name := filepath.Base(c.Path); result != nil {
		err = jobs.Failed(ctx, store.BackupVerified, "", name+": "+result.Error())
	} else {
		err = jobs.Succeeded(ctx, "", store.BackupJob{Kind: store.BackupVerified, Name: name, Bytes: info.Size(), Took: took})
	}
	return errors.Join(err, db.Close())
}

// read calls fn with the file at path.
func read(path string, fn func(io.Reader) (backup.Restored, error)) (done backup.Restored, err error) {
	file, err := os.Open(path) //nolint:gosec // the operator's own choice
	if err != nil {
		return done, err
	}
	defer file.Close()
	return fn(file)
}

// contents says what is in a backup.
func contents(done backup.Restored) string {
	h, m := done.Header, done.Manifest
	return fmt.Sprintf("%d rows and %d files of %s, stoa %s with schema %d",
		m.Rows(), len(m.Files), h.CreatedAt.Format(time.RFC3339), h.Stoa, h.Schema)
}
