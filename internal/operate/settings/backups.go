package settings

import (
	"errors"
	"time"
)

// BackupLock says who can open backups: for everything that makes them.
type BackupLock struct {
	BackupRecipients []string
}

// BackupKey opens backups: for every command that reads them.
type BackupKey struct {
	BackupIdentity string `type:"existingfile"`
}

// BackupPlace says where backups are kept.
type BackupPlace struct {
	BackupDir string `type:"path"`
	BackupURL string
}

// Check returns an error if backups should be in two places.
func (p BackupPlace) Check() error {
	if p.BackupDir != "" && p.BackupURL != "" {
		return errors.New("say where backups should be once: --backup-dir or --backup-url")
	}
	return nil
}

// Backups says which backups stoa serve makes by itself.
type Backups struct {
	BackupLock
	BackupPlace

	BackupEvery       time.Duration
	BackupKeep        int
	BackupVerifyEvery time.Duration
	BackupScratch     string `type:"existingdir"`
}

// AuditExport says where the audit log is sent.
type AuditExport struct {
	AuditStream string
}

// places are the flags without which stoa serve makes no backups.
const places = "backup-dir,backup-url"

var backupRows = []Setting{
	{
		Flag: "backup-recipients", Env: "STOA_BACKUP_RECIPIENTS", Placeholder: "KEY",
		Help: "Public keys of age (age1…) that can open the backups. Without them and without STOA_BACKUP_PASSPHRASE, " +
			"backups are not encrypted, and leave the master key out.",
	},
	{
		Flag: "backup-identity", Env: "STOA_BACKUP_IDENTITY", Placeholder: "FILE",
		Help: "File with the secret key of age that opens the backup.",
	},
	{
		Flag: "backup-dir", Env: "STOA_BACKUP_DIR", Placeholder: "DIR",
		Help: "Folder in which stoa keeps backups that it makes by itself. Replicas share it; one of them makes each " +
			"backup. Without it, none are made.",
	},
	{
		Flag: "backup-url", Env: "STOA_BACKUP_URL", Placeholder: "URL",
		Help: "Object storage for these backups instead of a folder: s3://bucket/prefix?endpoint=…&region=… " +
			"(docs/storage.md).",
	},
	{
		Flag: "backup-every", Env: "STOA_BACKUP_EVERY", Default: "24h",
		Bounds: durations(time.Minute, anyDuration), With: places,
		Help: "Time from one backup to the next: {bounds}.",
	},
	{
		Flag: "backup-keep", Env: "STOA_BACKUP_KEEP", Default: "14", Bounds: numbers(1, anyNumber), With: places,
		Help: "How many backups are kept in the folder, including those made by hand. The oldest are removed.",
	},
	{
		Flag: "backup-verify-every", Env: "STOA_BACKUP_VERIFY_EVERY", Default: "168h",
		Bounds: durations(0, anyDuration), With: places,
		Help: "Time from one verification of the latest backup to the next; 0s means never. A server cannot verify " +
			"backups for --backup-recipients, which it cannot open: run stoa backup verify where the secret key is.",
	},
	{
		Flag: "backup-scratch", Env: "STOA_BACKUP_SCRATCH", Placeholder: "DIR",
		Help: "Folder for the temporary files of a verification, which take as much space as the shop. By default tmp " +
			"in the data folder.",
	},
	{
		Flag: "audit-stream", Env: "STOA_AUDIT_STREAM", Placeholder: "FILE|URL",
		Help: "Send the audit log, entry by entry as JSON lines, to the file at this path or to this https:// address " +
			"(POST, with STOA_AUDIT_STREAM_TOKEN as bearer token). Of several replicas one sends.",
	},
}
