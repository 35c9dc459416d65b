// Package app is the composition root: it puts the parts together into a stoa
// that answers requests. It is the only package that knows every concrete type.
// The serve command and the tests both build the program here, so that what is
// tested is what runs (docs/adr/0002).
package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"stoa/internal/httpapi"
	"stoa/internal/plugin"
	"stoa/internal/plugin/install"
	"stoa/internal/seal"
	"stoa/internal/store"
)

// Config is what an App needs to know. All fields are required unless they say
// otherwise.
type Config struct {
	Log *slog.Logger
	Now func() time.Time

	// DatabaseURL is a postgres:// URL or the path of a SQLite file.
	DatabaseURL string

	// DataDir is the folder for package files, media and the like. It exists.
	DataDir string

	// MasterKey encrypts what must not be readable in the database.
	MasterKey *seal.Key
}

// App is a stoa that can answer requests.
type App struct {
	Handler http.Handler
	DB      *store.DB
}

// New opens the database, brings its schema up to date and builds the program
// on it. The caller closes the App.
func New(ctx context.Context, cfg Config) (*App, error) {
	db, err := store.Open(cfg.DatabaseURL)
	if err != nil {
		return nil, err
	}
	a := &App{DB: db}
	if err := a.build(ctx, cfg); err != nil {
		return nil, errors.Join(fmt.Errorf("app: %w", err), db.Close())
	}
	return a, nil
}

func (a *App) build(ctx context.Context, cfg Config) error {
	if _, err := a.DB.Migrate(ctx); err != nil {
		return err
	}
	packages := store.NewPlugin(a.DB)
	plugins := &plugin.Service{
		Store: packages, Now: cfg.Now,
		Configs: cfg.MasterKey.Box("plugin.config"), Secrets: cfg.MasterKey.Box("plugin.secret"),
	}
	installer := &install.Installer{Plugins: plugins, Paths: packages, DataDir: cfg.DataDir, Log: cfg.Log}
	if err := installer.Sweep(ctx, time.Now()); err != nil { // the age of files is in system time
		cfg.Log.WarnContext(ctx, "leftovers of earlier installs could not be removed", slog.Any("err", err))
	}
	api := &httpapi.Server{
		Log:   cfg.Log,
		Now:   cfg.Now,
		Ready: a.DB.Ping,

		Plugins:   plugins,
		Installer: installer,
	}
	a.Handler = api.Handler()
	return nil
}

// Close stops everything the App started and closes the database. Requests must
// have ended before.
func (a *App) Close(_ context.Context) error {
	return a.DB.Close()
}
