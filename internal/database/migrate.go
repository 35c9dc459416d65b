package database

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

// Migrate brings the schema up to date and returns the names of the migrations it
// applied. migrations has one directory for each engine, named as Engine says.
// Each migration runs in a transaction. Several processes may call Migrate at
// once: one applies the migrations, the others wait.
func (db *DB) Migrate(ctx context.Context, migrations fs.FS) ([]string, error) {
	p, err := db.migrator(migrations)
	if err != nil {
		return nil, fmt.Errorf("database: migrate: %w", err)
	}
	var results []*goose.MigrationResult
	for i := 0; ; i++ {
		results, err = p.Up(ctx)
		// SQLite has no advisory lock. If two processes start together, one loses the
		// race inside its transaction and finds the work done when it looks again.
		if err == nil || db.name != "sqlite" || i == txAttempts || ctx.Err() != nil {
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("database: migrate: %w", err)
	}
	names := make([]string, len(results))
	for i, r := range results {
		names[i] = r.Source.Path
	}
	return names, nil
}

// HasPending reports whether Migrate would apply any of migrations.
func (db *DB) HasPending(ctx context.Context, migrations fs.FS) (bool, error) {
	p, err := db.migrator(migrations)
	if err != nil {
		return false, fmt.Errorf("database: check schema: %w", err)
	}
	pending, err := p.HasPending(ctx)
	if err != nil {
		return false, fmt.Errorf("database: check schema: %w", err)
	}
	return pending, nil
}

func (db *DB) migrator(migrations fs.FS) (*goose.Provider, error) {
	dir, err := fs.Sub(migrations, db.name)
	if err != nil {
		return nil, err
	}
	opts := []goose.ProviderOption{goose.WithVerbose(false)}
	if db.name == "sqlite" {
		return goose.NewProvider(goose.DialectSQLite3, db.write, dir, opts...)
	}
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(goose.DialectPostgres, db.write, dir, append(opts, goose.WithSessionLocker(locker))...)
}
