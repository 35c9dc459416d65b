package blob_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stoa/internal/data/blob"
)

func mustDirect(t *testing.T, dir string, remote blob.Store) *blob.Direct {
	t.Helper()
	d, err := blob.OpenDirect(dir, remote, "exports/")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// What one process removes is gone for all, from their disks, too.
func TestADirectFileThatIsRemovedIsNowhere(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	remote, err := blob.OpenFolder(filepath.Join(dir, "remote"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = remote.Close() })
	here := mustDirect(t, filepath.Join(dir, "here"), nil)
	one, two := mustDirect(t, filepath.Join(dir, "one"), remote), mustDirect(t, filepath.Join(dir, "two"), remote)
	for name, p := range map[string]struct{ makes, removes *blob.Direct }{
		"in a folder": {here, here}, "in a storage": {one, two},
	} {
		file, err := p.makes.Put(t.Context(), []byte("an archive"), "sealed")
		if err != nil {
			t.Fatal(err)
		}
		if again, err := p.removes.Put(t.Context(), []byte("an archive"), "sealed"); err != nil || again != file {
			t.Errorf("%s: put again: %q, %v", name, again, err)
		}
		body, err := p.removes.Get(t.Context(), file)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(body); err != nil || string(text) != "an archive" {
			t.Errorf("%s: Get = %q, %v", name, text, err)
		}
		_ = body.Close()
		if list, err := p.makes.List(t.Context()); err != nil || len(list) != 1 || list[0].Name() != file {
			t.Errorf("%s: List = %v, %v", name, list, err)
		}
		if err := p.removes.Remove(t.Context(), file); err != nil {
			t.Errorf("%s: Remove = %v", name, err)
		}
		for _, gone := range []string{file, "../remote", ""} {
			if _, err := p.makes.Get(t.Context(), gone); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: Get of %q = %v, want fs.ErrNotExist", name, gone, err)
			}
			if err := p.makes.Remove(t.Context(), gone); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: Remove of %q = %v, want fs.ErrNotExist", name, gone, err)
			}
		}
		if _, err := p.makes.Put(t.Context(), nil, "../x"); err == nil {
			t.Errorf("%s: any extension is taken", name)
		}
	}
	err = fs.WalkDir(os.DirFS(dir), ".", func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			t.Errorf("%s is left", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// Clear removes what Files wrote, and was writing, and nothing else.
func TestClearRemovesItsOwnFilesOnly(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	if err := blob.Clear(filepath.Join(dir, "none")); err != nil {
		t.Errorf("of a folder that is not there: %v", err)
	}
	f := mustOpen(t, dir)
	if _, err := f.Put(t.Context(), []byte("an archive"), "sealed"); err != nil {
		t.Fatal(err)
	}
	foreign := []string{"notes.txt", ".tmp-mine", strings.Repeat("A", 64) + ".sealed"}
	for _, name := range append(foreign, ".tmp-"+strings.Repeat("A2", 13)) {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	inside := filepath.Join(dir, strings.Repeat("b", 64)+".sealed")
	if err := os.Mkdir(inside, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := blob.Clear(dir); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != len(foreign)+1 {
		t.Errorf("%v, %v are left, want %v and a folder", entries, err, foreign)
	}
}

// A process that was killed while it wrote an archive leaves a part of it.
func TestAPartOfADirectFileIsRemovedAtTheNextStart(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	old, young := filepath.Join(dir, ".tmp-old"), filepath.Join(dir, ".tmp-young")
	for _, name := range []string{old, young} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(old, time.Time{}, time.Now().Add(-2*time.Hour)); err != nil {
		t.Fatal(err)
	}
	mustDirect(t, dir, nil)
	if _, err := os.Stat(old); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the part is still there: %v", err)
	}
	if _, err := os.Stat(young); err != nil {
		t.Errorf("what is being written is gone: %v", err)
	}
}
