package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"stoa/internal/data/database"
	"stoa/internal/store"
)

type migrateCmd struct {
	storage

	Check bool             `help:"Change nothing; exit with 1 if migrations are pending." env:"STOA_MIGRATE_CHECK" xor:"what"`
	Plan  bool             `help:"Change nothing; print which migrations are pending, how long they take and what they lock." env:"STOA_MIGRATE_PLAN" xor:"what"`
	Rows  map[string]int64 `help:"With --plan: how many rows tables have, as table=number, instead of counting them." placeholder:"TABLE=NUMBER" env:"STOA_MIGRATE_ROWS"`
	JSON  bool             `help:"With --plan: print JSON." name:"json" env:"STOA_MIGRATE_JSON"`
}

// Run applies the migrations that are waiting. Serve does the same at start;
// this command is for operators who give that right to a separate user.
func (c migrateCmd) Run(ctx context.Context, std streams) error {
	at, err := c.findDatabase(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(std.err, "database: %s\n", withoutPassword(at))
	if (c.JSON || len(c.Rows) > 0) && !c.Plan {
		return errors.New("--json and --rows go with --plan")
	}
	if c.Check || c.Plan {
		if f, err := inspect(ctx, at); err != nil || !f.exists {
			return errors.Join(err, store.ErrSchemaOld) // and leave no file behind
		}
	} else if err := c.prepare(); err != nil {
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
