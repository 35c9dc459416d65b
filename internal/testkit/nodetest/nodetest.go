// Package nodetest finds the versions of Node.js that internal plugins are tested
// on: the one in PATH, and those that compat/package.json installs.
package nodetest

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"stoa/internal/testkit/needtest"
)

var installed = regexp.MustCompile(`node_modules/(node\d+)-`)

// Each runs test once for every Node.js there is, in parallel, with its path. In CI
// all of compat/package.json must be there; elsewhere those that are.
func Each(t *testing.T, test func(t *testing.T, node string)) {
	t.Helper()
	nodes := make(map[string]string)
	if path, err := exec.LookPath("node"); err == nil {
		nodes["PATH"] = path
	}
	found, err := filepath.Glob(filepath.Join(root(t), "compat/node_modules/node*-*/bin/node"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range found {
		nodes[installed.FindStringSubmatch(filepath.ToSlash(path))[1]] = path
	}
	if len(found) < 3 {
		t.Run("other versions of Node.js", func(t *testing.T) {
			needtest.Lacks(t, "other versions of Node.js are not installed (npm ci in compat)")
		})
	}
	for name, path := range nodes {
		t.Run(name, func(t *testing.T) { t.Parallel(); test(t, path) })
	}
}

// root returns the folder of stoa's module.
func root(tb testing.TB) string {
	tb.Helper()
	dir, err := os.Getwd()
	if err != nil {
		tb.Fatal(err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "compat", "package.json")); err == nil {
			return dir
		}
	}
	tb.Fatal("the test does not run inside of stoa's folder")
	return ""
}
