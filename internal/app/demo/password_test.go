package demo_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"stoa/internal/app/demo"
)

func load(tb testing.TB, dir string) demo.Password {
	tb.Helper()
	p, err := demo.LoadPassword(dir)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

func TestDemoPasswordIsRandomStableAndForThisUserOnly(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	first := load(t, dir)
	if !first.New || len(first.Text) < 20 {
		t.Errorf("first = %+v, want a new and long password", first)
	}
	if again := load(t, dir); again.New || again.Text != first.Text {
		t.Errorf("second = %+v, want the kept password of %+v", again, first)
	}
	if other := load(t, t.TempDir()); other.Text == first.Text {
		t.Error("two demos have the same password")
	}
	if err := os.Chmod(first.File, 0o644); err != nil { // as after a copy
		t.Fatal(err)
	}
	load(t, dir)
	for path, want := range map[string]os.FileMode{first.File: 0o600, filepath.Dir(first.File): 0o700} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: mode %v, %v; want %v", path, info.Mode().Perm(), err, want)
		}
	}
}

func TestDemosThatStartTogetherAgreeOnThePassword(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	var (
		wg  sync.WaitGroup
		got [8]demo.Password
	)
	for i := range got {
		wg.Go(func() {
			var err error
			if got[i], err = demo.LoadPassword(dir); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	made := 0
	for _, p := range got {
		if p.Text != got[0].Text {
			t.Error("two starts have different passwords")
		}
		if p.New {
			made++
		}
	}
	if made != 1 {
		t.Errorf("%d starts would print the password, want 1", made)
	}
}

func TestAnEmptyDemoPasswordIsRefused(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	if err := os.WriteFile(load(t, dir).File, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if p, err := demo.LoadPassword(dir); err == nil {
		t.Errorf("LoadPassword = %+v, want an error", p)
	}
}
