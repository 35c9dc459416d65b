package store

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"stoa/internal/data/database/migration"
)

// lastReleased is the last migration of the previous release. CONTRIBUTING.md says how to set
// it at each release.
const lastReleased = "0058"

// released is where package proof keeps what it knows of releases.
const released = "../proof/testdata/"

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
		"an unknown statement":          {"VACUUM;", false},
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

// lastReleased, the commit that make roll rolls from, and the newest fixture are of one release.
func TestThePreviousReleaseIsTheSameEverywhere(t *testing.T) {
	t.Parallel()

	fixtures, err := filepath.Glob(released + "releases/*/facts.json")
	if err != nil || len(fixtures) == 0 {
		t.Fatalf("there is no fixture: %v", err)
	}
	newest := filepath.Dir(slices.MaxFunc(fixtures, func(a, b string) int { return cmp.Compare(padded(a), padded(b)) }))
	text, err := os.ReadFile(filepath.Join(newest, "facts.json"))
	if err != nil {
		t.Fatal(err)
	}
	var facts struct {
		Commit string `json:"commit"`
	}
	if err := json.Unmarshal(text, &facts); err != nil {
		t.Fatal(err)
	}
	previous, err := os.ReadFile(released + "previous-release")
	if err != nil {
		t.Fatal(err)
	}
	if commit := strings.TrimSpace(string(previous)); commit != facts.Commit {
		t.Errorf("previous-release is %s, and the newest fixture, %s, is of %s", commit, newest, facts.Commit)
	}
	if last := lastMigrationOf(t, filepath.Join(newest, "postgres.sql")); last != lastReleased {
		t.Errorf("lastReleased is %s, and the newest fixture, %s, has migrations up to %s", lastReleased, newest, last)
	}
}

// padded returns a name with numbers of equal length, so that 1.10.0 comes after 1.9.0.
func padded(name string) string {
	return regexp.MustCompile(`\d+`).ReplaceAllStringFunc(name, func(n string) string { return fmt.Sprintf("%06s", n) })
}

var appliedRE = regexp.MustCompile(`(?m)^INSERT INTO public\.goose_db_version VALUES \(\d+, (\d+), true`)

// lastMigrationOf returns the number of the last migration that was applied to a dumped
// database, such as "0058".
func lastMigrationOf(t *testing.T, dump string) (last string) {
	t.Helper()
	text, err := os.ReadFile(dump)
	if err != nil {
		t.Fatal(err)
	}
	for _, applied := range appliedRE.FindAllStringSubmatch(string(text), -1) {
		last = max(last, fmt.Sprintf("%04s", applied[1]))
	}
	return last
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
