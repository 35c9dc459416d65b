package blob_test

import (
	"errors"
	"io/fs"
	"path/filepath"
	"testing"

	"stoa/internal/data/blob"
)

// Both kinds of Files remove a file, and return fs.ErrNotExist when there is none.
func TestARemovedFileIsGone(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	remote, err := blob.OpenFolder(filepath.Join(dir, "remote"))
	if err != nil {
		t.Fatal(err)
	}
	cached, err := blob.Open(filepath.Join(dir, "cache"), remote, "media/")
	if err != nil {
		t.Fatal(err)
	}
	other, err := blob.Open(filepath.Join(dir, "other"), remote, "media/") // of another replica
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = errors.Join(cached.Close(), other.Close()) })
	for name, f := range map[string]*blob.Files{
		"in a folder": mustOpen(t, filepath.Join(dir, "media")), "in a storage": cached, "not in the cache": other,
	} {
		put := f
		if f == other {
			put = cached
		}
		file, err := put.Put(t.Context(), []byte("picture "+name), "svg")
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Remove(t.Context(), file); err != nil {
			t.Errorf("%s: Remove = %v", name, err)
		}
		if _, err := f.Get(t.Context(), file); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: Get of a removed file = %v", name, err)
		}
		if list, err := f.List(t.Context()); err != nil || len(list) != 0 {
			t.Errorf("%s: List = %v, %v", name, list, err)
		}
		for _, gone := range []string{file, "../remote", ""} {
			if err := f.Remove(t.Context(), gone); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: Remove of %q = %v, want fs.ErrNotExist", name, gone, err)
			}
		}
	}
}
