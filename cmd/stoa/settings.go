package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"stoa/internal/app"
	"stoa/internal/base/reqctx"
	"stoa/internal/trust/masterkey"
	"stoa/internal/trust/seal"
)

// secretSetting is a setting that is read from the environment only: a command
// line is visible to every user of the machine.
type secretSetting struct{ name, help string }

var secretSettings = []secretSetting{
	{envMasterKey, "64 hexadecimal digits that protect the secrets in the database. Without it, a key is generated and " +
		"kept in the data folder. All replicas need the same key."},
	{envMasterKeyNext, "the master key that stoa keys rewrap puts in place of the other one, in the same form " +
		"(docs/keys.md). Without it, the key in master.key.next in the data folder, if there is one, which running " +
		"processes notice."},
	{envAdminPassword, "password that serve gives the administrator it creates for --admin-email; also the password " +
		"for stoa admin create and reset-password."},
	{envSMTPPassword, "password of the user in --smtp-url."},
	{envStripeKey, "secret key of the Stripe account that takes live payments: sk_… or a restricted rk_…."},
	{envStripeWebhookSecret, "signing secret of the webhook endpoint in Stripe's dashboard: whsec_…. Required with " +
		"the key."},
	{envOpsToken, "bearer token, at least 16 characters, that --ops-addr then asks for under any host name. Without " +
		"it, --ops-addr answers loopback names only."},
	{envBackupPassphrase, "passphrase that encrypts backups, and opens them. STOA_BACKUP_RECIPIENTS encrypts without a " +
		"secret on the server."},
	{envAuditStreamToken, "bearer token for the address in --audit-stream."},
	{"AWS_ACCESS_KEY_ID", "id of the key for s3:// URLs (docs/storage.md); also AWS_SESSION_TOKEN, if the key is " +
		"temporary."},
	{"AWS_SECRET_ACCESS_KEY", "the secret of that key."},
	{envServiceSecret, "shared secret for HS256 service JWTs, at least 32 bytes."},
}

const (
	envMasterKey     = "STOA_MASTER_KEY"
	envMasterKeyNext = "STOA_MASTER_KEY_NEXT"
	envAdminPassword = "STOA_ADMIN_PASSWORD"
	envSMTPPassword  = "STOA_SMTP_PASSWORD"     //nolint:gosec // the variable's name, not a secret
	envStripeKey     = "STOA_STRIPE_SECRET_KEY" //nolint:gosec // the variable's name, not a secret
	envOpsToken      = "STOA_OPS_TOKEN"         //nolint:gosec // the variable's name, not a secret
	envServiceSecret = "SERVICE_JWT_SECRET"     //nolint:gosec // the variable's name, not a secret

	envAuditStreamToken    = "STOA_AUDIT_STREAM_TOKEN"    //nolint:gosec // the variable's name, not a secret
	envBackupPassphrase    = "STOA_BACKUP_PASSPHRASE"     //nolint:gosec // the variable's name, not a secret
	envStripeWebhookSecret = "STOA_STRIPE_WEBHOOK_SECRET" //nolint:gosec // the variable's name, not a secret
)

// storage are the flags of every command that opens the database.
type storage struct {
	Data        string `help:"Folder for the database (with SQLite), package files and media. Created if missing." default:"data" env:"STOA_DATA" type:"path"`
	DatabaseURL string `help:"postgres:// URL or path of a SQLite file. Without it: the database of the last stoa serve on the data folder, at first stoa.db in it. A URL with a password is refused on the command line: use the variable, or name a file with it in STOA_DATABASE_URL_FILE." env:"STOA_DATABASE_URL" name:"database-url" placeholder:"URL"`
	StorageURL  string `help:"Where package files and media are: s3://bucket/prefix?endpoint=…&region=… (docs/storage.md), of which the data folder is a cache, or disk for the data folder itself. Without it: that of the last stoa serve on the data folder, at first disk." env:"STOA_STORAGE_URL" name:"storage-url" placeholder:"URL"`
}

// logging are the flags that say what is logged, and how.
type logging struct {
	LogLevel  slog.Level `help:"Lowest level to log: debug, info, warn or error. Requests are logged at debug." default:"info" env:"STOA_LOG_LEVEL"`
	LogFormat string     `help:"Format of log lines: text or json." enum:"text,json" default:"text" env:"STOA_LOG_FORMAT"`
}

func (l logging) logger(to io.Writer) *slog.Logger {
	opts := &slog.HandlerOptions{Level: l.LogLevel}
	var h slog.Handler = slog.NewTextHandler(to, opts)
	if l.LogFormat == "json" {
		h = slog.NewJSONHandler(to, opts)
	}
	return slog.New(reqctx.LogHandler(h))
}

// passwords are the flags of every command that sets a password.
type passwords struct {
	PasswordPolicy string `help:"Rules for new passwords: standard (at least 6 characters) or asvs (at least 8 characters, not easy to guess)." enum:"standard,asvs" default:"standard" env:"STOA_PASSWORD_POLICY"`
}

func (p passwords) apply(cfg *app.Config) { cfg.PasswordPolicy = p.PasswordPolicy }

// prepare makes the data folder, readable by this user only, also if it existed.
func (s storage) prepare() error {
	if err := os.MkdirAll(s.Data, 0o700); err != nil {
		return fmt.Errorf("data folder: %w", err)
	}
	keepPrivate(s.Data)
	return nil
}

// config returns an app.Config with what every command needs, for the database at
// the URL at. It touches no file; see open.
func (s storage) config(log *slog.Logger, at string) app.Config {
	return app.Config{
		Log:         log,
		Now:         time.Now,
		Version:     version(),
		Commit:      build().Commit,
		CommitDate:  build().Date,
		DatabaseURL: at,
		DataDir:     s.Data,
	}
}

// open makes the data folder if it is missing, and sets the master key in cfg. Call it
// once all other settings are known to be right: a refused command leaves no folder.
func (s storage) open(cfg *app.Config) (err error) {
	if cfg.Storage, cfg.StorageURL, err = s.openStorage(); err != nil {
		return err
	}
	if err := s.prepare(); err != nil {
		return err
	}
	if !keepPrivate(s.Data) {
		cfg.Log.Warn("other users may read the data folder; make it private with chmod 700",
			slog.String("folder", s.Data))
	}
	cfg.MasterKeySource = "file"
	if os.Getenv(envMasterKey) != "" {
		cfg.MasterKeySource = "environment"
	}
	if _, err = masterkey.Load(os.Getenv(envMasterKey), s.Data); err != nil {
		return err
	}
	cfg.NextMasterKey = func() (*seal.Key, error) {
		return masterkey.Successor(os.Getenv(envMasterKey), os.Getenv(envMasterKeyNext), s.Data)
	}
	cfg.MasterKey, err = masterkey.Known(os.Getenv(envMasterKey), os.Getenv(envMasterKeyNext), s.Data)
	return err
}

// with runs fn on an App that is closed afterwards. The App serves no requests, and
// its database exists and is up to date already.
func (s storage) with(ctx context.Context, std streams, fn func(*app.App) error,
	settings ...func(*app.Config),
) (err error) {
	at, err := s.openExisting(ctx, std)
	if err != nil {
		return err
	}
	cfg := s.config(logging{LogLevel: slog.LevelWarn}.logger(std.err), at)
	if err := s.open(&cfg); err != nil {
		return err
	}
	cfg.KeepSchema = true
	for _, set := range settings {
		set(&cfg)
	}
	if last, err := readServed(s.Data); err == nil && last != nil && last.PasswordPolicy == "asvs" {
		cfg.PasswordPolicy = last.PasswordPolicy // the server's, also where this shell does not say so
	}
	a, err := app.New(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close(context.WithoutCancel(ctx))) }()
	return fn(a)
}
