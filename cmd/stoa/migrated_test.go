package main

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// migrated is a data folder after stoa migrate, which most tests begin with: running a hundred migrations
// takes longer than what they test.
var migrated struct {
	once sync.Once
	dir  string
	err  error
}

// removeMigrated ends the tests.
func removeMigrated() { _ = os.RemoveAll(migrated.dir) }

// migratedFolder returns a data folder of the test's own, with the tables of a new shop.
func migratedFolder(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "d")
	copyMigrated(t, dir)
	return dir
}

func copyMigrated(t *testing.T, dir string) {
	t.Helper()
	if err := os.CopyFS(dir, os.DirFS(migratedOnce(t))); err != nil {
		t.Fatal(err)
	}
	// The key's file is private, which a copy is not.
	if err := filepath.WalkDir(dir, private); err != nil {
		t.Fatal(err)
	}
}

func private(path string, entry os.DirEntry, err error) error {
	if err != nil || entry.IsDir() {
		return err
	}
	return os.Chmod(path, 0o600)
}

// migratedOnce returns the folder that others are copies of.
func migratedOnce(tb testing.TB) string {
	tb.Helper()
	migrated.once.Do(func() {
		if migrated.dir, migrated.err = os.MkdirTemp("", "stoa-migrated-"); migrated.err != nil { //nolint:usetesting // outlives the test
			return
		}
		if text, err := program(tb, nil, "migrate", "--data", migrated.dir).CombinedOutput(); err != nil {
			tb.Errorf("stoa migrate: %s", text)
			migrated.err = err
		}
	})
	if migrated.err != nil {
		tb.Fatal(migrated.err)
	}
	return migrated.dir
}
