package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"time"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

// Migration is one migration that Migrate applied.
type Migration struct {
	Name string
	Took time.Duration
}

// Migrate brings the schema up to date and returns the migrations it applied.
// migrations has one directory for each engine, named as Engine says. Each migration
// runs in a transaction. Several processes may call Migrate at once: one applies the
// migrations, the others wait.
func (db *DB) Migrate(ctx context.Context, migrations fs.FS) ([]Migration, error) {
	return db.migrate(ctx, migrations, (*goose.Provider).Up)
}

// MigrateTo is Migrate up to the migration with that number.
func (db *DB) MigrateTo(ctx context.Context, migrations fs.FS, version int64) ([]Migration, error) {
	return db.migrate(ctx, migrations, func(p *goose.Provider, ctx context.Context) ([]*goose.MigrationResult, error) {
		return p.UpTo(ctx, version)
	})
}

func (db *DB) migrate(
	ctx context.Context, migrations fs.FS,
	up func(*goose.Provider, context.Context) ([]*goose.MigrationResult, error),
) ([]Migration, error) {
	p, err := db.migrator(migrations)
	if err != nil {
		return nil, fmt.Errorf("database: migrate: %w", err)
	}
	var results []*goose.MigrationResult
	for i := 0; ; i++ {
		results, err = up(p, ctx)
		// SQLite has no advisory lock. If two processes start together, one loses the race inside
		// its transaction and finds the migration applied when it looks again.
		if err == nil || db.name != "sqlite" || i == txAttempts || ctx.Err() != nil {
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("database: migrate: %w", err)
	}
	applied := make([]Migration, len(results))
	for i, r := range results {
		applied[i] = Migration{Name: r.Source.Path, Took: r.Duration}
	}
	return applied, nil
}

// Schema compares the schema of a database with the migrations of this program.
type Schema struct {
	// Version is the number of the last migration applied to the database: 0 if it is empty.
	Version int64
	// Known is the number of the last migration in this program.
	Known int64
	// Pending reports whether Migrate would apply a migration.
	Pending bool
}

// Schema returns the version of the database's schema. It changes nothing.
func (db *DB) Schema(ctx context.Context, migrations fs.FS) (Schema, error) {
	p, err := db.migrator(migrations)
	if err != nil {
		return Schema{}, fmt.Errorf("database: check schema: %w", err)
	}
	all := p.ListSources()
	schema := Schema{Known: all[len(all)-1].Version, Pending: true}
	// goose would create its table if asked for the version.
	if has, err := db.HasTable(ctx, "goose_db_version"); err != nil || !has {
		return schema, err
	}
	if schema.Version, err = p.GetDBVersion(ctx); err == nil {
		schema.Pending, err = p.HasPending(ctx)
	}
	if err != nil {
		return Schema{}, fmt.Errorf("database: check schema: %w", err)
	}
	return schema, nil
}

// HasTable reports whether there is a table of that name.
func (db *DB) HasTable(ctx context.Context, name string) (bool, error) {
	var one int
	err := db.read.QueryRowContext(ctx, db.hasTable, name).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
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

// Pending returns the files of the migrations that Migrate would apply, in order, by their paths in
// migrations. It changes nothing.
func (db *DB) Pending(ctx context.Context, migrations fs.FS) ([]string, error) {
	p, err := db.migrator(migrations)
	if err != nil {
		return nil, fmt.Errorf("database: pending migrations: %w", err)
	}
	has, err := db.HasTable(ctx, "goose_db_version")
	if err != nil {
		return nil, err
	}
	applied := make(map[int64]bool)
	if has { // else goose would create it
		all, err := p.Status(ctx)
		if err != nil {
			return nil, fmt.Errorf("database: pending migrations: %w", err)
		}
		for _, s := range all {
			applied[s.Source.Version] = s.State == goose.StateApplied
		}
	}
	var files []string
	for _, s := range p.ListSources() {
		if !applied[s.Version] {
			files = append(files, path.Join(db.name, path.Base(s.Path)))
		}
	}
	return files, nil
}
