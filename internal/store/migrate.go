package store

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/database"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migrations
var migrations embed.FS

// Migrate brings the schema up to date and returns the names of the migrations
// it applied. Several processes may call it at once: one applies, the others
// wait. A migration runs in a transaction and is never edited after release.
func (db *DB) Migrate(ctx context.Context) ([]string, error) {
	p, err := db.migrator()
	if err != nil {
		return nil, fmt.Errorf("store: migrate: %w", err)
	}
	var results []*goose.MigrationResult
	for i := 0; ; i++ {
		results, err = p.Up(ctx)
		// SQLite has no advisory lock: of two processes that start together one
		// loses the race inside its transaction, and finds the work done when it
		// looks again.
		if err == nil || db.name != "sqlite" || i == txAttempts || ctx.Err() != nil {
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("store: migrate: %w", err)
	}
	names := make([]string, len(results))
	for i, r := range results {
		names[i] = r.Source.Path
	}
	return names, nil
}

// ErrSchemaOld says that migrations are waiting.
var ErrSchemaOld = errors.New("store: the database schema is not up to date; run stoa migrate")

// CheckSchema returns ErrSchemaOld if Migrate has something to do.
func (db *DB) CheckSchema(ctx context.Context) error {
	p, err := db.migrator()
	if err != nil {
		return fmt.Errorf("store: check schema: %w", err)
	}
	pending, err := p.HasPending(ctx)
	if err != nil {
		return fmt.Errorf("store: check schema: %w", err)
	}
	if pending {
		return ErrSchemaOld
	}
	return nil
}

func (db *DB) migrator() (*goose.Provider, error) {
	dir, err := fs.Sub(migrations, "migrations/"+db.name)
	if err != nil {
		return nil, err
	}
	dialect := database.DialectSQLite3
	opts := []goose.ProviderOption{goose.WithVerbose(false)}
	if db.name == "postgres" {
		dialect = database.DialectPostgres
		locker, err := lock.NewPostgresSessionLocker()
		if err != nil {
			return nil, err
		}
		opts = append(opts, goose.WithSessionLocker(locker))
	}
	return goose.NewProvider(dialect, db.write, dir, opts...)
}
