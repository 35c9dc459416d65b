package dbtest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"stoa/internal/data/database"
	"stoa/internal/store"
)

// CopySQLite writes a migrated SQLite database to path, which must not exist.
func CopySQLite(tb testing.TB, path string) {
	tb.Helper()
	content, err := template()
	if err != nil {
		tb.Fatal(err)
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		tb.Fatal(err)
	}
	_, err = file.Write(content)
	if err = errors.Join(err, file.Close()); err != nil {
		tb.Fatal(err)
	}
}

// template returns a migrated SQLite database. The user's cache folder keeps one for each
// set of migrations, so that a test binary migrates only after a migration changed.
var template = sync.OnceValues(func() ([]byte, error) {
	sum, err := migrationsSum()
	if err != nil {
		return nil, err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(cache, "stoa-test")
	kept := filepath.Join(dir, sum+".db")
	content, err := os.ReadFile(kept)
	if !errors.Is(err, fs.ErrNotExist) {
		return content, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	removeOld(dir)
	// Several test binaries may come here at once. Each makes a file of its own, and the last
	// one stays.
	scratch, err := os.MkdirTemp(dir, "new-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
	made := filepath.Join(scratch, "stoa.db")
	if err := migrate(made); err != nil {
		return nil, err
	}
	if content, err = os.ReadFile(made); err != nil {
		return nil, err
	}
	return content, os.Rename(made, kept)
})

// removeOld removes the databases of migrations that were edited since.
func removeOld(dir string) {
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && time.Since(info.ModTime()) > 7*24*time.Hour {
			_ = os.RemoveAll(filepath.Join(dir, entry.Name()))
		}
	}
}

// migrate migrates the database at url and closes it.
func migrate(url string) error {
	db, err := database.Open(url)
	if err != nil {
		return err
	}
	_, err = store.Migrate(context.Background(), db, "test")
	return errors.Join(err, db.Close())
}

func schemaSum(tb testing.TB) string {
	tb.Helper()
	sum, err := migrationsSum()
	if err != nil {
		tb.Fatal(err)
	}
	return sum
}

// migrationsSum returns a hash of all migrations of both engines, as they are in the
// working tree.
var migrationsSum = sync.OnceValues(func() (string, error) {
	root, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			break
		}
		if root == filepath.Dir(root) {
			return "", errors.New("dbtest: the test does not run inside the module")
		}
		root = filepath.Dir(root)
	}
	h, migrations := sha256.New(), os.DirFS(filepath.Join(root, "internal", "store", "migrations"))
	err = fs.WalkDir(migrations, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(migrations, name)
		fmt.Fprintf(h, "%s %d\n%s", name, len(content), content)
		return err
	})
	return hex.EncodeToString(h.Sum(nil)[:12]), err
})
