package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"stoa/internal/app/datafolder"
	"stoa/internal/data/database"
	"stoa/internal/store"
)

type migrateCmd struct {
	datafolder.Folder

	Check bool `xor:"what"`
	Plan  bool `xor:"what"`
	Rows  map[string]int64
	JSON  bool
}

// Run applies the migrations that are waiting. Serve does the same at start;
// this command is for operators who give that right to a separate user.
func (c migrateCmd) Run(ctx context.Context, std streams) error {
	at, err := c.FindDatabase(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(std.err, "database: %s\n", datafolder.WithoutPassword(at))
	if (c.JSON || len(c.Rows) > 0) && !c.Plan {
		return errors.New("--json and --rows go with --plan")
	}
	if c.Check || c.Plan {
		if f, err := datafolder.Inspect(ctx, at); err != nil || !f.Exists {
			return errors.Join(err, store.ErrSchemaOld) // and leave no file behind
		}
	} else if err := c.Prepare(); err != nil {
		return err
	}
	db, err := database.Open(at)
	if err != nil {
		return err
	}
	defer db.Close()
	if c.Plan {
		return c.plan(ctx, db, std.out)
	}
	if c.Check {
		return store.CheckSchema(ctx, db, version())
	}
	applied, err := store.Migrate(ctx, db, version())
	if err != nil {
		return err
	}
	for _, m := range applied {
		fmt.Fprintf(std.out, "applied %s in %s\n", m.Name, m.Took.Round(time.Microsecond))
	}
	if len(applied) == 0 {
		fmt.Fprintln(std.out, "the schema is up to date")
	}
	return nil
}
