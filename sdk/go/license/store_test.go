package license_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"stoa.example/sdk/go/license"
)

func TestFileStore(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	s := license.FileStore(filepath.Join(dir, "lease"))
	if data, err := s.Load(); data != nil || err != nil {
		t.Errorf("Load without a file = %q, %v", data, err)
	}
	for _, text := range []string{"one", "two"} {
		if err := s.Save([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if data, err := s.Load(); string(data) != text || err != nil {
			t.Errorf("Load = %q, %v; want %q", data, err, text)
		}
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("%d files in the folder, %v; want one", len(files), err)
	}
	if err := license.FileStore(filepath.Join(dir, "none", "lease")).Save(nil); err == nil {
		t.Error("Save in a missing folder succeeds")
	}
	if err := license.FileStore(dir).Save(nil); err == nil {
		t.Error("Save over a folder succeeds")
	}
	if files, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(files) != 1 {
		t.Errorf("%d files beside the folder, %v; want none", len(files)-1, err)
	}
	c := license.Client{Store: s}
	if _, err := c.Offline(); !errors.Is(err, license.ErrNoLease) {
		t.Errorf("Offline with a damaged file = %v, want ErrNoLease", err)
	}
}
