package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/google/uuid"

	"stoa/internal/data/blob"
	"stoa/internal/extension"
	"stoa/internal/extension/install"
	"stoa/internal/extension/plugin"
	"stoa/internal/extension/theme"
	"stoa/internal/operate/settings"
	"stoa/internal/store"
)

// errForeign means that a storage belongs to another shop: sweeping it would remove that shop's files.
var errForeign = errors.New("the object storage belongs to another shop, with another database: " +
	"give each a bucket or a prefix of its own")

// openStorage refuses an object storage that belongs to another shop. If the storage does not answer, it
// only logs a warning: files in the data folder, and everything that needs no files, still work.
func (a *App) openStorage(ctx context.Context, cfg Config) (err error) {
	a.PlatformID, err = store.NewSettings(a.DB).Once(ctx, store.SettingPlatformID, uuid.NewString())
	if err != nil || cfg.Storage == nil {
		return err
	}
	err = a.ownStorage(ctx, cfg)
	if errors.Is(err, blob.ErrUnavailable) {
		cfg.Log.WarnContext(ctx, "the object storage does not work: files that are not in the data folder are missing, "+
			"and nothing can be installed or uploaded", slog.String("storage", cfg.Storage.Address()), slog.Any("err", err))
		return nil
	}
	return err
}

// ownStorage returns nil if the object storage belongs to this shop. It claims a storage without an
// owner, unless the database refers to files that should already be there.
func (a *App) ownStorage(ctx context.Context, cfg Config) error {
	owner, err := blob.Owner(ctx, cfg.Storage)
	switch {
	case err != nil || owner == a.PlatformID:
		return err
	case owner != "":
		return settings.Wrong(fmt.Errorf("%s: %w", cfg.Storage.Address(), errForeign))
	}
	files, err := store.PackageFiles(ctx, a.DB.Conn())
	if err != nil {
		return err
	}
	if len(files) > 0 {
		return settings.Wrong(fmt.Errorf("%s has none of this shop's files: copy them with "+
			"stoa storage move --from disk --to URL, and start again", cfg.Storage.Address()))
	}
	return blob.Claim(ctx, cfg.Storage, a.PlatformID)
}

// checkStorage returns what is wrong with the storage of files.
func (a *App) checkStorage(ctx context.Context, cfg Config) error {
	err := canWrite(cfg.DataDir)
	if err != nil {
		return errors.New("the data folder cannot be written: " + reason(err))
	}
	if cfg.Storage != nil {
		err = a.ownStorage(ctx, cfg)
	}
	if errors.Is(err, blob.ErrUnavailable) {
		err = errors.Unwrap(err) // the cause, without the message for clients
	}
	return err
}

// storageAddress returns the address of the object storage; "" without one.
func storageAddress(cfg Config) string {
	if cfg.Storage == nil {
		return ""
	}
	return cfg.Storage.Address()
}

// fetchPlugin puts the files of a plugin into the data folder, unless they are there.
func (a *App) fetchPlugin(ctx context.Context, p plugin.Package) error {
	return a.fetch(ctx, install.Ref{Kind: extension.Plugin, Path: p.InstallPath, Hash: p.ZipHash})
}

// fetchTheme is fetchPlugin for theme apps.
func (a *App) fetchTheme(ctx context.Context, v theme.Version) error {
	return a.fetch(ctx, install.Ref{Kind: v.Kind, Path: v.InstallPath, Hash: v.ZipHash})
}

func (a *App) fetch(ctx context.Context, ref install.Ref) error {
	err := a.installer.Fetch(ctx, ref)
	if errors.Is(err, install.ErrNoArchive) {
		return nil // the caller reports missing files itself
	}
	return err
}
