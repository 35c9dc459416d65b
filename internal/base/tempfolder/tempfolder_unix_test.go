//go:build unix

package tempfolder

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// All users share the folder for temporary files: a folder in it that looks like ours may contain
// a lock file that is a link, or that blocks on opening.
func TestSweepFollowsNoLinksOfOtherUsers(t *testing.T) {
	t.Parallel()

	victim := filepath.Join(t.TempDir(), "victim")
	if err := os.WriteFile(victim, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}
	parent := t.TempDir()
	old := time.Now().Add(-time.Hour)
	for name, place := range map[string]func(path string) error{
		"stoa-node-link": func(path string) error { return os.Symlink(victim, path) },
		"stoa-node-pipe": func(path string) error { return syscall.Mkfifo(path, 0o600) },
	} {
		dir := filepath.Join(parent, name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := place(filepath.Join(dir, lockFile)); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(dir, old, old); err != nil {
			t.Fatal(err)
		}
	}
	swept := make(chan struct{})
	go func() {
		Sweep(parent, "stoa-node")
		close(swept)
	}()
	select {
	case <-swept:
	case <-time.After(time.Minute):
		t.Fatal("the sweep hangs")
	}
	if _, err := os.Lstat(filepath.Join(parent, "stoa-node-link")); err != nil {
		t.Errorf("a folder was taken for ours through a link: %v", err)
	}
	if text, err := os.ReadFile(victim); err != nil || string(text) != "theirs" {
		t.Errorf("the file behind the link is %q, %v", text, err)
	}
}
