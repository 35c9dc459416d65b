package database_test

import (
	"os"
	"path/filepath"
	"testing"

	"stoa/internal/data/database"
	"stoa/internal/testkit/dbtest"
)

// The data folder may have existed before stoa, readable by all users.
func TestOnlyTheOwnerReadsASQLiteDatabase(t *testing.T) {
	t.Parallel()

	for name, tt := range map[string]struct {
		before os.FileMode // of files that exist already; 0 for none
		want   os.FileMode
	}{
		"new":                   {0, 0o600},
		"readable by all":       {0o644, 0o600},
		"readable by a group":   {0o640, 0o600},
		"writable by all":       {0o666, 0o600},
		"already private":       {0o600, 0o600},
		"with other owner bits": {0o744, 0o700},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			dir := filepath.Join(t.TempDir(), "data")
			path := filepath.Join(dir, "stoa.db")
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			files := []string{path, path + "-wal", path + "-shm"}
			if tt.before != 0 {
				first := dbtest.Open(t, path) // holds -wal and -shm
				mustMode(t, files, 0o600)
				for _, file := range files {
					if err := os.Chmod(file, tt.before); err != nil {
						t.Fatal(err)
					}
				}
				defer first.Close()
			}
			dbtest.Open(t, path)
			mustMode(t, files, tt.want)
		})
	}
}

func mustMode(t *testing.T, files []string, want os.FileMode) {
	t.Helper()
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has the mode %o, want %o", filepath.Base(file), got, want)
		}
	}
}

func TestOpenLeavesAFolderAlone(t *testing.T) {
	t.Parallel()

	dir := filepath.Join(t.TempDir(), "data")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if db, err := database.Open(dir); err == nil {
		_ = db.Close()
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("the folder has the mode %v, %v; want it as it was", info.Mode(), err)
	}
}
