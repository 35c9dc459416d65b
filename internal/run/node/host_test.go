package node

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stoa/internal/run"
	"stoa/internal/testkit/logtest"
)

func TestWithoutNodeTheReasonIsClear(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, path := range map[string]string{
		"missing":      filepath.Join(dir, "no-node"),
		"too old":      script("old", "echo v20.18.9"),
		"not Node":     script("other", "echo hello"),
		"does fail":    script("failing", "exit 1"),
		"not in $PATH": "no-such-node-anywhere",
	} {
		log := new(logtest.Buffer)
		f := newFixture(t, func(c *options) { c.machine.Log, c.machine.NodePath = log.Logger(), path })
		in := f.install(t, "any", withRoutes(""))
		_, _, err := f.do(t, in, http.MethodGet, "/health", "")
		if !errors.Is(err, run.ErrUnreachable) || reasonOf(t, err) != reasonNodeMissing {
			t.Errorf("%s: got %v, want node_missing", name, err)
		}
		if f.Check() == nil || !strings.Contains(log.String(), "Node.js 20.19 or newer") {
			t.Errorf("%s: log %s", name, log)
		}
	}
}

func TestPackagePathsStayInTheDataFolder(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	in := f.install(t, "paths", withRoutes(""))
	for _, change := range []func(install, entry *string){
		func(install, _ *string) { *install = "../elsewhere" },
		func(install, _ *string) { *install = "/etc" },
		func(_, entry *string) { *entry = "../other/index.js" },
		func(_, entry *string) { *entry = "/etc/passwd" },
		func(install, _ *string) { *install = "" },
	} {
		bad := in
		change(&bad.Package.InstallPath, &bad.Package.Manifest.EntryModule)
		if _, _, err := packageFiles(f.dir, bad.Package); err == nil {
			t.Errorf("%q, %q: no error", bad.Package.InstallPath, bad.Package.Manifest.EntryModule)
		}
	}
}
