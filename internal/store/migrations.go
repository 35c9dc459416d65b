package store

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"stoa/internal/database"
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

// Migrate brings the schema of db up to date and returns the names of the
// migrations it applied. Several processes may call it at once.
func Migrate(ctx context.Context, db *database.DB) ([]string, error) {
	return db.Migrate(ctx, migrations())
}

// ErrSchemaOld says that migrations are waiting.
var ErrSchemaOld = errors.New("store: the database schema is not up to date; run stoa migrate")

// CheckSchema returns ErrSchemaOld if Migrate has something to do.
func CheckSchema(ctx context.Context, db *database.DB) error {
	pending, err := db.HasPending(ctx, migrations())
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	if pending {
		return ErrSchemaOld
	}
	return nil
}
