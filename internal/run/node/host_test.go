package node

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"stoa/internal/run"
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
		log := newLog()
		f := newFixture(t, func(c *Config) { c.Log, c.NodePath = log.logger(), path })
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

func TestNodeVersions(t *testing.T) {
	t.Parallel()
	const permission, experimental = "--permission", "--experimental-permission"
	const network, detect = "--allow-net", "--experimental-detect-module"
	tests := []struct {
		out   string
		want  nodeVersion
		flags []string
		not   []string
	}{
		{"v20.19.0\n", nodeVersion{20, 19}, []string{experimental, detect}, []string{permission, network}},
		{"v22.6.0\n", nodeVersion{22, 6}, []string{experimental, detect}, []string{permission}},
		{"v22.12.1\n", nodeVersion{22, 12}, []string{experimental}, []string{permission, detect}},
		{"v22.13.0\n", nodeVersion{22, 13}, []string{permission}, []string{experimental}},
		{"v23.4.0\n", nodeVersion{23, 4}, []string{experimental}, []string{permission}},
		{"v24.1.0\n", nodeVersion{24, 1}, []string{permission}, []string{network}},
		{"v26.0.0-nightly\n", nodeVersion{26, 0}, []string{permission, network}, []string{experimental}},
	}
	for _, tt := range tests {
		v, err := parseVersion(tt.out)
		if err != nil || v != tt.want {
			t.Errorf("%q: got %v, %v", tt.out, v, err)
		}
		flags := nodeBinary{version: v}.flags()
		for _, flag := range tt.flags {
			if !slices.Contains(flags, flag) {
				t.Errorf("%s: %s is missing in %v", v, flag, flags)
			}
		}
		for _, flag := range tt.not {
			if slices.Contains(flags, flag) {
				t.Errorf("%s: %s is in %v", v, flag, flags)
			}
		}
	}
	for _, out := range []string{"", "20.19.0", "v20", "vx.y.z", "v99999.1.0"} {
		if v, err := parseVersion(out); err == nil {
			t.Errorf("%q: got %v", out, v)
		}
	}
}

func TestLeftoversOfKilledProcessesAreSwept(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	old := time.Now().Add(-time.Hour)
	folder := func(name string) (dir string, held *os.File) {
		files, err := newHostFiles(parent)
		if err != nil {
			t.Fatal(name, err)
		}
		t.Cleanup(func() { files.lock.Close() })
		if err := os.Chtimes(files.dir, old, old); err != nil {
			t.Fatal(err)
		}
		return files.dir, files.lock
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
	eventually(t, "the dead are swept", func() bool {
		sweep(parent)
		return !isThere(dead) && !isThere(justDied)
	})
	for dir, want := range map[string]bool{dead: false, justDied: false, living: true, young: true, foreign: true} {
		if isThere(dir) != want {
			t.Errorf("%s: kept %t, want %t", dir, isThere(dir), want)
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
