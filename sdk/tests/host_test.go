package tests

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

// copyTree copies the repository without what is built or downloaded.
func copyTree(t *testing.T) (dir string) {
	t.Helper()
	const root = "../.."
	dir = t.TempDir()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		switch {
		case d.Name() == ".git", d.Name() == "node_modules", name == "bin", name == "data":
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			return os.MkdirAll(filepath.Join(dir, name), 0o700)
		case !d.Type().IsRegular():
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, name), data, 0o700)
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// naming returns the files that contain a text.
func naming(t *testing.T, dir, text string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte(text)) {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestOneCommandSetsTheHostOfTheSDK(t *testing.T) {
	t.Parallel()

	dir := copyTree(t)
	run := func(args ...string) error {
		cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=", "GOWORK=off")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Logf("%q: %s", args, out)
		}
		return err
	}
	goMod, err := os.ReadFile(filepath.Join(dir, "sdk/go/go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	module := modfile.ModulePath(goMod)
	host, ok := strings.CutSuffix(module, "/sdk/go")
	if !ok {
		t.Fatalf("the module is %s, not HOST/sdk/go", module)
	}
	for _, bad := range []string{"", "localhost", "https://git.test/a", "git.test/", "git.test/a b", "git.test/|"} {
		if err := run("scripts/sdk-host", bad); err == nil {
			t.Errorf("sdk-host accepts %q", bad)
		}
	}
	// The placeholder stands for nothing else. A real host may well be named elsewhere.
	old := module
	if strings.HasSuffix(host, ".example") {
		old = host
	}
	const set = "git.test/team/stoa"
	if err := run("scripts/sdk-host", set); err != nil {
		t.Fatal(err)
	}
	if left := naming(t, dir, old); len(left) > 0 {
		t.Errorf("still named after sdk-host: %q", left)
	}
	if !slices.Contains(naming(t, dir, "go get "+set+"/sdk/go@latest"), filepath.Join(dir, "sdk/go/README.md")) {
		t.Error("sdk/go/README.md does not install the module under its new path")
	}
	// Every import still leads to a package.
	for _, in := range []string{".", "sdk/go"} {
		if err := run("go", "-C", in, "list", "-deps", "-test", "./..."); err != nil {
			t.Errorf("in %s: %v", in, err)
		}
	}
}
