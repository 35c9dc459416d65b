// Package nodetest runs tests of internal plugins on one version of Node.js, or on all
// that stoa supports.
package nodetest

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"stoa/internal/testkit/needtest"
)

var installed = regexp.MustCompile(`node_modules/(node\d+)-`)

// Each runs test in parallel with the path of each Node.js: the one in PATH, and with
// STOA_TEST_NODES=all those that compat/nodes/package.json installs (npm ci in compat/nodes).
func Each(t *testing.T, test func(t *testing.T, node string)) {
	t.Helper()
	nodes := map[string]string{"PATH": needtest.Program(t, "node", "")}
	if os.Getenv("STOA_TEST_NODES") == "all" {
		found, err := filepath.Glob(filepath.Join(root(t), "compat/nodes/node_modules/node*-*/bin/node"))
		if err != nil {
			t.Fatal(err)
		}
		if len(found) < 3 {
			t.Fatalf("STOA_TEST_NODES=all needs the versions of Node.js that npm ci installs in compat/nodes, found %q", found)
		}
		for _, path := range found {
			nodes[installed.FindStringSubmatch(filepath.ToSlash(path))[1]] = path
		}
	}
	for name, path := range nodes {
		t.Run(name, func(t *testing.T) { t.Parallel(); test(t, path) })
	}
}

// CacheDir returns a folder in the user's cache folder in which the host program of internal plugins is kept
// compiled for all tests, or "" if the user has none.
func CacheDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "stoa-test", "node")
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
