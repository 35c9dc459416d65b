package datafolder

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// mode creates a folder with exactly that mode.
func mode(t *testing.T, path string, perm fs.FileMode) {
	t.Helper()
	if err := os.MkdirAll(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, perm); err != nil {
		t.Fatal(err)
	}
}

func wantMode(t *testing.T, path string, want fs.FileMode) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got != want {
		t.Errorf("%s has mode %04o, want %04o", filepath.Base(path), got, want)
	}
}

func TestFoldersThatExistedAreMadePrivate(t *testing.T) {
	t.Parallel()

	empty := filepath.Join(t.TempDir(), "empty")
	mode(t, empty, 0o777)
	if !keepPrivate(empty) {
		t.Error("an empty folder was not made private")
	}
	wantMode(t, empty, 0o700)

	used := filepath.Join(t.TempDir(), "used")
	for _, name := range []string{"", "plugins", "media", "tmp", "demo", "cache", "others"} {
		mode(t, filepath.Join(used, name), 0o755)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(used, link); err != nil {
		t.Fatal(err)
	}
	if !keepPrivate(link) {
		t.Error("a folder behind a link was not made private")
	}
	for name, want := range map[string]fs.FileMode{
		"": 0o700, "plugins": 0o700, "media": 0o700, "tmp": 0o700, "cache": 0o700,
		"demo": 0o700, "others": 0o755,
	} {
		wantMode(t, filepath.Join(used, name), want)
	}
}

// --data /tmp must not make the machine unusable.
func TestFoldersOfOthersAreLeftAlone(t *testing.T) {
	t.Parallel()

	foreign := filepath.Join(t.TempDir(), "home")
	mode(t, filepath.Join(foreign, "letters"), 0o755)
	mode(t, foreign, 0o755)
	shared := filepath.Join(t.TempDir(), "tmp")
	mode(t, filepath.Join(shared, "plugins"), 0o700)
	mode(t, shared, 0o777|fs.ModeSticky)
	for path, want := range map[string]fs.FileMode{foreign: 0o755, shared: 0o777} {
		if keepPrivate(path) {
			t.Errorf("%s is said to be private", path)
		}
		wantMode(t, path, want)
	}

	outside := filepath.Join(t.TempDir(), "outside")
	mode(t, outside, 0o755)
	dir := t.TempDir()
	for name, target := range map[string]string{"master.key": "/dev/null", "media": outside} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	keepPrivate(dir)
	wantMode(t, outside, 0o755) // behind a link that is not the operator's choice
}
