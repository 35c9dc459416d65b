package store

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"stoa/internal/data/database"
)

//go:embed migrations
var migrationFiles embed.FS

// migrations returns the migrations of the schema, one directory for each engine. A
// migration is never edited after it was released.
func migrations() fs.FS {
	dir, err := fs.Sub(migrationFiles, "migrations")
	if err != nil {
		panic(err) // the name is a constant
	}
	return dir
}

// Migrate brings the schema of db up to date and returns the migrations it applied.
// Several processes may call it at once. by is the version of this program; the
// database keeps it, so that an older program can say which one it needs. If the
// schema is newer than this program, Migrate changes nothing and returns an error
// that wraps ErrSchemaNew.
func Migrate(ctx context.Context, db *database.DB, by string) ([]database.Migration, error) {
	if err := CheckSchema(ctx, db, by); !errors.Is(err, ErrSchemaOld) {
		return nil, err
	}
	applied, err := db.Migrate(ctx, migrations())
	if err == nil && len(applied) > 0 {
		err = NewSettings(db).Put(ctx, settingMigratedBy, by)
	}
	return applied, err
}

// MigrateTo makes the schema of an empty database as it was at an earlier version, to load
// a backup from then.
func MigrateTo(ctx context.Context, db *database.DB, version int64) error {
	_, err := db.MigrateTo(ctx, migrations(), version)
	return err
}

// KnownSchema returns the version of the schema that Migrate makes.
func KnownSchema() int64 {
	entries, err := fs.ReadDir(migrations(), "sqlite")
	if err != nil {
		panic(err) // the name is a constant
	}
	number, _, _ := strings.Cut(entries[len(entries)-1].Name(), "_")
	known, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		panic(err) // and goose would refuse the file
	}
	return known
}

// SchemaOf returns the version of the schema of db, and what this program knows of it.
func SchemaOf(ctx context.Context, db *database.DB) (database.Schema, error) {
	return db.Schema(ctx, migrations())
}

var (
	// ErrSchemaOld says that migrations are waiting.
	ErrSchemaOld = errors.New("store: the database schema is not up to date; run stoa migrate")
	// ErrSchemaNew says that a newer program has changed the schema.
	ErrSchemaNew = errors.New("store: the database schema is newer than this program")
)

// settingMigratedBy is the version of the program that applied the last migration.
const settingMigratedBy = "migrated_by"

// CheckSchema returns nil if the schema is the one that this program was made for,
// ErrSchemaOld if Migrate has something to do, and an error that wraps ErrSchemaNew
// and names both versions if a newer program has migrated the database. by is the
// version of this program. CheckSchema changes nothing, not even an empty database.
func CheckSchema(ctx context.Context, db *database.DB, by string) error {
	schema, err := db.Schema(ctx, migrations())
	switch {
	case err != nil:
		return fmt.Errorf("store: %w", err)
	case schema.Version <= schema.Known && schema.Pending:
		return ErrSchemaOld
	case schema.Version <= schema.Known:
		return nil
	}
	writer, found, err := NewSettings(db).Find(ctx, settingMigratedBy)
	if err != nil {
		return err
	}
	if !found {
		writer = "a newer stoa"
	} else {
		writer = "stoa " + writer
	}
	return fmt.Errorf("%w: %s migrated it to version %d, and this is stoa %s, which knows version %d; start %s",
		ErrSchemaNew, writer, schema.Version, by, schema.Known, writer)
}

// SchemaVersion returns the number of the last migration that was applied to db. It is one
// quick query, unlike CheckSchema.
func SchemaVersion(ctx context.Context, db *database.DB) (version int64, err error) {
	err = db.Conn().Read.QueryRowContext(ctx, `
		SELECT COALESCE(max(version_id), 0) FROM goose_db_version WHERE is_applied`).Scan(&version)
	return version, err
}
