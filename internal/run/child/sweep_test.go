package child

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"stoa/internal/base/tempfolder"
	"stoa/internal/testkit/waittest"
)

// What package tempfolder calls a folder before it is locked, and its lock.
const (
	newPattern = "." + folderName + "-*"
	lockFile   = "lock"
)

func TestLeftoversOfKilledProcessesAreSwept(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	old := time.Now().Add(-time.Hour)
	folder := func(name string) (dir string, held *os.File) {
		files, err := tempfolder.New(parent, folderName)
		if err != nil {
			t.Fatal(name, err)
		}
		t.Cleanup(func() { files.Lock.Close() })
		if err := os.Chtimes(files.Dir, old, old); err != nil {
			t.Fatal(err)
		}
		return files.Dir, files.Lock
	}
	dead, held := folder("dead")
	held.Close()
	living, _ := folder("living")
	justDied, held := folder("just died")
	held.Close()
	if err := os.Chtimes(justDied, time.Now(), time.Now()); err != nil {
		t.Fatal(err)
	}
	// Its process has not locked it yet.
	young, err := os.MkdirTemp(parent, newPattern) //nolint:usetesting // a folder as stoa makes it
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(young, lockFile), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	foreign := filepath.Join(parent, "stoa-node-foreign")
	if err := os.Mkdir(foreign, 0o700); err != nil {
		t.Fatal(err)
	}

	// Another test's child may hold a lock until it executes its program.
	isThere := func(dir string) bool {
		_, err := os.Stat(dir)
		return err == nil
	}
	waittest.True(t, "the dead are swept", func() bool {
		sweep(parent)
		return !isThere(dead) && !isThere(justDied)
	})
	for dir, want := range map[string]bool{dead: false, justDied: false, living: true, young: true, foreign: true} {
		if isThere(dir) != want {
			t.Errorf("%s: kept %t, want %t", dir, isThere(dir), want)
		}
	}
}

// A folder that is in use, or that was made just now, is spared.
func TestSweepSparesWhatIsInUse(t *testing.T) {
	t.Parallel()
	temp := t.TempDir()
	files, err := tempfolder.New(temp, folderName)
	if err != nil {
		t.Fatal(err)
	}
	young, err := os.MkdirTemp(temp, newPattern) //nolint:usetesting // a folder as stoa makes it
	if err != nil {
		t.Fatal(err)
	}
	old, err := os.MkdirTemp(temp, newPattern) //nolint:usetesting // a folder as stoa makes it
	if err != nil {
		t.Fatal(err)
	}
	hourAgo := time.Now().Add(-time.Hour)
	if err := os.Chtimes(old, hourAgo, hourAgo); err != nil {
		t.Fatal(err)
	}
	if n := sweep(temp); n != 1 {
		t.Errorf("%d folders were swept, want the old one", n)
	}
	for _, dir := range []string{files.Dir, young} {
		if _, err := os.Stat(dir); err != nil {
			t.Errorf("swept although in use: %v", err)
		}
	}
	files.Lock.Close() // as when its process is killed
	// Another test's child may hold the lock until it executes its program.
	waittest.True(t, "the folder is swept", func() bool { return sweep(temp) == 1 })
}
