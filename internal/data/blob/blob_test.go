package blob_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"stoa/internal/data/blob"
)

func mustOpen(t *testing.T, dir string) *blob.Files {
	t.Helper()
	f, err := blob.Open(dir, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func TestTheSameContentIsStoredOnceHoweverManyPutIt(t *testing.T) {
	t.Parallel()

	dir := filepath.Join(t.TempDir(), "media")
	f := mustOpen(t, dir)
	var (
		wg    sync.WaitGroup
		names [8]string
	)
	for i := range names {
		wg.Go(func() {
			var err error
			if names[i], err = f.Put(t.Context(), []byte("picture"), "svg"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, n := range names {
		if n != names[0] {
			t.Fatalf("names = %q, want one", names)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Fatalf("folder has %v (%v), want one file", entries, err)
	}
	file, err := f.Get(t.Context(), names[0])
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if got, err := io.ReadAll(file); err != nil || string(got) != "picture" {
		t.Errorf("content = %q, %v", got, err)
	}
}

func TestAFileCutShortIsWrittenAgain(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	f := mustOpen(t, dir)
	name, err := f.Put(t.Context(), []byte("picture"), "png")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte("pic"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Put(t.Context(), []byte("picture"), "png"); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != "picture" {
		t.Errorf("content = %q, %v", got, err)
	}
}

func TestOnlyNamesThatPutGivesAreOpened(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	f := mustOpen(t, filepath.Join(dir, "media"))
	if err := os.WriteFile(filepath.Join(dir, "secret"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"", ".", "..", "../secret", "/etc/hostname", "a.svg", "..%2fsecret", ".tmp-A"} {
		if _, err := f.Get(t.Context(), name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Get(%q) = %v, want not exist", name, err)
		}
	}
	if _, err := f.Put(t.Context(), []byte("x"), "../x"); err == nil {
		t.Error("Put with a path for an extension = nil, want an error")
	}
}

func TestListReturnsOnlyFilesThatWerePut(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	f := mustOpen(t, dir)
	want, err := f.Put(t.Context(), []byte("picture"), "svg")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".tmp-left-over"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	files, err := f.List(t.Context())
	if err != nil || len(files) != 1 || files[0].Name() != want || files[0].Size() != int64(len("picture")) {
		t.Errorf("List = %v, %v, want %s alone", files, err, want)
	}
}
