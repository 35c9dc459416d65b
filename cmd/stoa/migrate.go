package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"stoa/internal/database"
	"stoa/internal/store"
)

type migrateCmd struct {
	storage

	Check bool `help:"Change nothing; exit with 1 if migrations are pending." env:"STOA_MIGRATE_CHECK"`
}

// missing reports whether the database is a file that does not exist.
func (c migrateCmd) missing() bool {
	if database.IsPostgres(c.databaseURL()) {
		return false
	}
	_, err := os.Stat(c.databaseURL())
	return errors.Is(err, fs.ErrNotExist)
}

// Run applies the migrations that are waiting. Serve does the same at start;
// this command is for operators who give that right to a separate user.
func (c migrateCmd) Run(ctx context.Context, std streams) error {
	if c.Check && c.missing() {
		return store.ErrSchemaOld // and leave no file behind
	}
	if err := c.prepare(); err != nil {
		return err
	}
	db, err := database.Open(c.databaseURL())
	if err != nil {
		return err
	}
	defer db.Close()
	if c.Check {
		return store.CheckSchema(ctx, db)
	}
	applied, err := store.Migrate(ctx, db)
	if err != nil {
		return err
	}
	for _, name := range applied {
		fmt.Fprintln(std.out, "applied", name)
	}
	if len(applied) == 0 {
		fmt.Fprintln(std.out, "the schema is up to date")
	}
	return nil
}
