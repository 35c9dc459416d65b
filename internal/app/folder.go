package app

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	"stoa/internal/app/datafolder"
	"stoa/internal/operate/settings"
	"stoa/internal/trust/masterkey"
	"stoa/internal/trust/seal"
)

// Open creates the data folder if it is missing, and sets the fields of cfg that depend on it, for the
// database at the URL at. Call it after all other settings were checked, so that a refused command
// leaves no folder.
func (cfg *Config) Open(f datafolder.Folder, at string) (err error) {
	cfg.Now, cfg.DatabaseURL, cfg.DataDir = time.Now, at, f.Data
	if cfg.Storage, cfg.StorageURL, err = f.OpenStorage(); err != nil {
		return err
	}
	if err := f.Prepare(); err != nil {
		return err
	}
	if !f.Private() {
		cfg.Log.Warn("other users may read the data folder; make it private with chmod 700",
			slog.String("folder", f.Data))
	}
	key, next := settings.MasterKey.Value(), settings.MasterKeyNext.Value()
	cfg.MasterKeySource = "file"
	if key != "" {
		cfg.MasterKeySource = "environment"
	}
	if _, err = masterkey.Load(key, f.Data); err != nil {
		return settings.WrongUnlessIO(err)
	}
	cfg.NextMasterKey = func() (*seal.Key, error) { return masterkey.Successor(key, next, f.Data) }
	cfg.MasterKey, err = masterkey.Known(key, next, f.Data)
	return settings.WrongUnlessIO(err)
}

// With runs fn on an App that it closes afterwards. The App serves no requests; its database must exist
// and be up to date. Warnings go to w. set changes the configuration.
func With(
	ctx context.Context, w io.Writer, f datafolder.Folder, fn func(*App) error, set ...func(*Config),
) (err error) {
	at, err := f.OpenExisting(ctx, w)
	if err != nil {
		return err
	}
	cfg := Config{Log: settings.Logging{LogLevel: slog.LevelWarn}.Logger(w), KeepSchema: true}
	if err := cfg.Open(f, at); err != nil {
		return err
	}
	for _, change := range set {
		change(&cfg)
	}
	if policy := f.ServedPasswordPolicy(); policy == "asvs" {
		cfg.SignIn.PasswordPolicy = policy // the server's policy, even if this shell does not set it
	}
	a, err := New(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close(context.WithoutCancel(ctx))) }()
	return fn(a)
}
