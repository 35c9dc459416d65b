// Package npmtest makes packages of npm out of folders of this repository, as npm publish would, and
// installs them in new projects.
package npmtest

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"stoa/internal/testkit/needtest"
)

// Package is a package of npm in the folder in which the test runs, after npm ci.
type Package struct {
	Name    string   // of the folder, for messages
	Tarball string   // what npm pack makes
	Needs   string   // a tool in node_modules, without which tests are skipped, or fail in CI
	Beside  []string // packages in node_modules that projects find as if they had installed them

	once    sync.Once
	project string // with the package installed
	tarball []byte
	err     error
}

// Close removes what tests have left.
func (p *Package) Close() { _ = os.RemoveAll(p.project) }

// Want skips the test where the package cannot be made, or fails it in CI.
func (p *Package) Want(tb testing.TB) {
	tb.Helper()
	needtest.Program(tb, "npm", "")
	if _, err := os.Stat(filepath.Join("node_modules", p.Needs)); err != nil {
		needtest.Lacks(tb, p.Needs+" is not installed (npm ci in "+p.Name+")")
	}
}

// Pack returns what npm pack makes of the package.
func (p *Package) Pack(tb testing.TB) []byte {
	tb.Helper()
	p.make(tb)
	return p.tarball
}

// Project returns a new project of this type, commonjs or module, in which the package alone is
// installed. It is a copy: npm takes a second for each.
func (p *Package) Project(tb testing.TB, format string) (dir string) {
	tb.Helper()
	p.make(tb)
	dir = tb.TempDir()
	if err := os.CopyFS(dir, os.DirFS(p.project)); err != nil {
		tb.Fatal(err)
	}
	Write(tb, dir, "package.json", `{"private":true,"type":"`+format+`"}`)
	return dir
}

func (p *Package) make(tb testing.TB) {
	tb.Helper()
	p.Want(tb)
	p.once.Do(func() {
		if p.tarball, p.err = p.pack(); p.err == nil {
			p.err = p.install()
		}
	})
	if p.err != nil {
		tb.Fatal(p.err)
	}
}

// pack packs a copy of the folder, with a link to the tools it is built with.
func (p *Package) pack() ([]byte, error) {
	dir, err := os.MkdirTemp("", "stoa-pack-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := copySources(dir); err != nil {
		return nil, err
	}
	tools, err := filepath.Abs("node_modules")
	if err == nil {
		err = os.Symlink(tools, filepath.Join(dir, "node_modules"))
	}
	if err == nil {
		err = npm(dir, "pack")
	}
	if err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(dir, p.Tarball))
}

// copySources copies this folder without what is installed and built.
func copySources(to string) error {
	return filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		target := filepath.Join(to, path)
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == "cjs"):
			return fs.SkipDir
		case d.IsDir():
			return os.MkdirAll(target, 0o700)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, data, 0o600)
	})
}

func (p *Package) install() (err error) {
	if p.project, err = os.MkdirTemp("", "stoa-project-"); err != nil {
		return err
	}
	manifest := []byte(`{"private":true,"type":"module"}`)
	for name, content := range map[string][]byte{"package.json": manifest, p.Tarball: p.tarball} {
		if err := os.WriteFile(filepath.Join(p.project, name), content, 0o600); err != nil {
			return err
		}
	}
	cache := filepath.Join(p.project, ".cache")
	if err := npm(p.project, "install", "./"+p.Tarball, "--no-audit", "--no-fund", "--cache="+cache); err != nil {
		return err
	}
	if err := os.RemoveAll(cache); err != nil {
		return err
	}
	found, err := filepath.Glob(filepath.Join(p.project, "node_modules", "[a-z@]*"))
	if err != nil {
		return err
	}
	if len(found) != 1 {
		return fmt.Errorf("npm installed %q, want the package alone", found)
	}
	ours, err := filepath.Abs("node_modules")
	for _, name := range p.Beside {
		err = errors.Join(err, os.Symlink(filepath.Join(ours, name), filepath.Join(p.project, "node_modules", name)))
	}
	return err
}

func npm(dir string, args ...string) error {
	//nolint:noctx // it ends by itself: it asks no other machine
	cmd := exec.Command("npm", append(args, "--offline", "--loglevel=error")...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("npm %s: %w\n%s", args[0], err, out)
	}
	return nil
}

// Write writes a file of a project.
func Write(tb testing.TB, dir, name, text string) {
	tb.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		tb.Fatal(err)
	}
}

// Run runs a program, with these variables besides the test's, and returns what it prints. The test
// fails if it does.
func Run(tb testing.TB, dir string, env []string, args ...string) (stdout, stderr string) {
	tb.Helper()
	var warnings bytes.Buffer
	cmd := exec.CommandContext(tb.Context(), args[0], args[1:]...)
	cmd.Dir, cmd.Env, cmd.Stderr = dir, append(append(os.Environ(), "NODE_NO_WARNINGS=1"), env...), &warnings
	out, err := cmd.Output()
	if err != nil {
		tb.Fatalf("%q: %v\n%s%s", args, err, out, &warnings)
	}
	return string(out), warnings.String()
}
