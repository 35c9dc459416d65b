package store

import (
	"io/fs"
	"path"
	"testing"

	"stoa/internal/migration"
)

// lastReleased is the last migration of the previous release. Set it at each release,
// together with internal/proof/testdata/previous-release.
const lastReleased = "0048"

// Replicas of the previous release go on while a migration of this one applies and after
// it, until they are replaced (ADR 0019). What takes something away waits for the release
// after the one that no longer uses it.
func TestThePreviousReleaseRunsOnTheNewSchema(t *testing.T) {
	t.Parallel()

	files, err := fs.Glob(migrations(), "postgres/*.sql") // replicas need PostgreSQL
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := path.Base(file)
		if _, err := fs.Stat(migrations(), "sqlite/"+name); err != nil {
			t.Errorf("%s is missing for SQLite", name)
		}
		text, err := fs.ReadFile(migrations(), file)
		if err != nil {
			t.Fatal(err)
		}
		for _, fault := range incompatible(name, string(text)) {
			t.Errorf("%s: %s", name, fault)
		}
	}
}

// incompatible returns what a migration does that the previous release could not bear.
func incompatible(name, text string) (faults []string) {
	if name[:4] <= lastReleased {
		return nil
	}
	if first, ok := migration.SecondStep(text); ok {
		if first > lastReleased {
			faults = append(faults, "its first step, "+first+", is not released yet")
		}
		return faults
	}
	created := make(map[string]bool)
	for _, s := range migration.Parse(text) {
		if why := s.Breaks(created); why != "" {
			faults = append(faults, s.Text+": "+why)
		}
		if s.Kind == migration.CreateTable {
			created[s.Table] = true
		}
	}
	return faults
}

func TestMigrationsThatTheReleaseBeforeCannotBear(t *testing.T) {
	t.Parallel()

	for name, tt := range map[string]struct {
		text string
		ok   bool
	}{
		"a new table":                   {"CREATE TABLE t (a TEXT NOT NULL);\nCREATE UNIQUE INDEX i ON t (a);", true},
		"a column with a default":       {"ALTER TABLE orders ADD COLUMN a TEXT NOT NULL DEFAULT '';", true},
		"a column that may be NULL":     {"ALTER TABLE orders ADD COLUMN a TEXT;", true},
		"a column without a default":    {"ALTER TABLE orders ADD COLUMN a TEXT NOT NULL;", false},
		"a dropped table":               {"DROP TABLE orders;", false},
		"a dropped column":              {"ALTER TABLE orders DROP COLUMN a;", false},
		"a renamed column":              {"ALTER TABLE orders\n    RENAME COLUMN a TO b;", false},
		"a renamed table":               {"alter table orders rename to o;", false},
		"another type":                  {"ALTER TABLE users ALTER COLUMN a TYPE TEXT COLLATE \"C\";", false},
		"a unique index":                {"CREATE UNIQUE INDEX i ON orders (a);", false},
		"an index":                      {"CREATE INDEX i ON orders (a);", true},
		"a constraint":                  {"ALTER TABLE orders ADD CONSTRAINT c CHECK (a > 0);", false},
		"a constraint less":             {"ALTER TABLE orders DROP CONSTRAINT c;", true},
		"what nobody knows":             {"VACUUM;", false},
		"a second step":                 {"-- second step of 0048: release 2 reads b\nALTER TABLE orders DROP COLUMN a;", true},
		"a second step without a first": {"-- second step of 0999: too early\nALTER TABLE orders DROP COLUMN a;", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			if faults := incompatible("9000_x.sql", tt.text); (len(faults) == 0) != tt.ok {
				t.Errorf("faults %q, want some: %t", faults, !tt.ok)
			}
			if faults := incompatible("0048_x.sql", tt.text); faults != nil {
				t.Errorf("it was released: %q", faults)
			}
		})
	}
}

// Every statement of every migration is of a known kind, or says so here.
func TestMigrationsAreUnderstood(t *testing.T) {
	t.Parallel()

	err := fs.WalkDir(migrations(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(migrations(), name)
		if err != nil {
			return err
		}
		for _, s := range migration.Parse(string(text)) {
			if s.Kind == migration.Other {
				t.Errorf("%s: %s", name, s.Text)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
