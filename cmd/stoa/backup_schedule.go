package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"stoa/internal/app"
	"stoa/internal/data/blob/s3"
	"stoa/internal/keep/backup"
)

// backups are the flags that say which backups serve makes by itself.
type backups struct {
	backupLock

	BackupDir         string        `help:"Folder in which stoa keeps backups that it makes by itself. Replicas share it; one of them makes each backup. Without it, none are made." env:"STOA_BACKUP_DIR" placeholder:"DIR" type:"path"`
	BackupURL         string        `help:"Object storage for these backups instead of a folder: s3://bucket/prefix?endpoint=…&region=… (docs/storage.md)." env:"STOA_BACKUP_URL" name:"backup-url" placeholder:"URL"`
	BackupEvery       time.Duration `help:"Time from one backup to the next: at least 1m." default:"24h" env:"STOA_BACKUP_EVERY"`
	BackupKeep        int           `help:"How many backups are kept in the folder, including those made by hand. The oldest are removed." default:"14" env:"STOA_BACKUP_KEEP"`
	BackupVerifyEvery time.Duration `help:"Time from one verification of the latest backup to the next; 0s means never. A server cannot verify backups for --backup-recipients, which it cannot open: run stoa backup verify where the secret key is." default:"168h" env:"STOA_BACKUP_VERIFY_EVERY"`
	BackupScratch     string        `help:"Folder for the temporary files of a verification, which take as much space as the shop. By default tmp in the data folder." env:"STOA_BACKUP_SCRATCH" placeholder:"DIR" type:"existingdir"`
}

func (b backups) apply(cfg *app.Config) error {
	lock, err := b.lock()
	if err != nil || b.BackupDir == "" && b.BackupURL == "" {
		return err
	}
	place, err := backupPlace(b.BackupDir, b.BackupURL)
	if err != nil {
		return err
	}
	switch {
	case b.BackupEvery < time.Minute:
		return errors.New("--backup-every must be at least 1m")
	case b.BackupKeep < 1:
		return errors.New("--backup-keep must be at least 1")
	case b.BackupVerifyEvery < 0:
		return errors.New("--backup-verify-every must not be negative")
	}
	cfg.Backup = app.BackupConfig{
		Place: place, Every: b.BackupEvery, Keep: b.BackupKeep, VerifyEvery: b.BackupVerifyEvery,
		Key: backup.Key{Passphrase: lock.Passphrase}, Scratch: b.BackupScratch, Lock: lock,
	}
	if len(lock.Recipients) > 0 {
		cfg.Backup.VerifyEvery = 0
	}
	return nil
}

// backupPlace returns the place for backups in a folder or in object storage, of which one is set.
func backupPlace(dir, address string) (backup.Place, error) {
	switch {
	case dir != "" && address != "":
		return nil, errors.New("say where backups should be once: --backup-dir or --backup-url")
	case dir != "":
		return backup.Folder(dir), nil
	}
	bucket, err := s3.Open(address, os.Getenv)
	if err != nil {
		return nil, fmt.Errorf("--backup-url: %w", err)
	}
	return backup.Objects{Bucket: bucket}, nil
}
