package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"stoa/internal/data/database"
	"stoa/internal/store"
)

// plan prints what the migrations that wait would do to db, and changes nothing.
func (c migrateCmd) plan(ctx context.Context, db *database.DB, to io.Writer) error {
	plan, err := store.PlanMigrations(ctx, db, c.Rows)
	if err != nil {
		return err
	}
	if c.JSON {
		out := json.NewEncoder(to)
		out.SetIndent("", "  ")
		return out.Encode(planJSON(plan))
	}
	if len(plan.Steps) == 0 {
		fmt.Fprintln(to, "the schema is up to date")
		return nil
	}
	for _, step := range plan.Steps {
		fmt.Fprintf(to, "%s, about %s\n", step.Name, rough(step.Took()))
		for _, s := range step.Statements {
			fmt.Fprintf(to, "  %.100s\n", s.Text)
			if s.Rows > 0 {
				fmt.Fprintf(to, "    %d rows of %s, about %s\n", s.Rows, s.Reads(), rough(s.Took))
			}
			if s.Lock.Name != "" {
				fmt.Fprintf(to, "    locks: %s, about %s; waiting: %s\n", lockText(s), rough(s.Held), s.Lock.Waits)
			}
		}
	}
	fmt.Fprintf(to, "%d migrations, about %s. Estimates are from measured costs of a row; "+
		"locks are held until the migration ends.\n", len(plan.Steps), rough(plan.Took()))
	return nil
}

func lockText(s store.PlannedStatement) string {
	if s.Lock.Table == "" {
		return s.Lock.Name
	}
	return s.Lock.Name + " on " + s.Lock.Table
}

// rough returns an estimate as it deserves: in milliseconds below a second.
func rough(d time.Duration) time.Duration {
	if d < time.Second {
		return d.Round(time.Millisecond)
	}
	return d.Round(100 * time.Millisecond)
}

type plannedMigration struct {
	Name       string             `json:"name"`
	TookMs     int64              `json:"estimatedMs"`
	Statements []plannedStatement `json:"statements"`
}

type plannedStatement struct {
	Kind   string `json:"kind"`
	Table  string `json:"table,omitempty"`
	SQL    string `json:"sql"`
	Rows   int64  `json:"rows"`
	TookMs int64  `json:"estimatedMs"`
	Lock   string `json:"lock,omitempty"`
	LockOn string `json:"lockOn,omitempty"`
	HeldMs int64  `json:"heldMs,omitempty"`
	Waits  string `json:"waits,omitempty"`
}

// planJSON returns what --json prints.
func planJSON(plan store.Plan) any {
	steps := make([]plannedMigration, 0, len(plan.Steps))
	for _, step := range plan.Steps {
		m := plannedMigration{Name: step.Name, TookMs: step.Took().Milliseconds(), Statements: []plannedStatement{}}
		for _, s := range step.Statements {
			m.Statements = append(m.Statements, plannedStatement{
				Kind: string(s.Kind), Table: s.Table, SQL: s.Text, Rows: s.Rows, TookMs: s.Took.Milliseconds(),
				Lock: s.Lock.Name, LockOn: s.Lock.Table, HeldMs: s.Held.Milliseconds(), Waits: s.Lock.Waits,
			})
		}
		steps = append(steps, m)
	}
	return map[string]any{
		"engine": plan.Engine, "estimatedMs": plan.Took().Milliseconds(), "migrations": steps,
	}
}
