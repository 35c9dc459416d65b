package node

import (
	"bytes"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"stoa/internal/run/child"
	"stoa/internal/testkit/nodetest"
	"stoa/internal/testkit/waittest"
)

// restarted returns a Runtime with a machine of its own, like that of another process of stoa, that has
// answered a call.
func restarted(tb testing.TB, node, cacheDir string) *fixture {
	tb.Helper()
	f := newFixture(tb, onNode(node), func(o *options) {
		o.CacheDir = cacheDir
		o.machine = child.Config{NodePath: node, ProbeTimeout: long, Log: slog.New(slog.DiscardHandler)}
	})
	f.get(tb, f.install(tb, "lean", withRoutes(`app.get('/api/x', async () => 'x')`)), "/api/x")
	return f
}

// The first run compiles the host program, and later ones start with it. A damaged one is not taken, but
// made again; one that nobody uses any more goes.
func TestTheHostProgramIsCompiledOnceForAllRuns(t *testing.T) {
	t.Parallel()
	nodetest.Each(t, func(t *testing.T, path string) {
		t.Helper()
		dir := t.TempDir()
		old := filepath.Join(dir, "host-of-an-earlier-version.cache")
		if err := os.WriteFile(old, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		longAgo := time.Now().Add(-2 * cacheLife)
		if err := os.Chtimes(old, longAgo, longAgo); err != nil {
			t.Fatal(err)
		}
		first := restarted(t, path, dir)
		if first.host.files.warm.restored {
			t.Error("the first run has a cache that it did not make")
		}
		kept := first.host.files.kept
		waittest.True(t, "the cache is kept", func() bool { _, err := os.Stat(kept); return err == nil })
		if _, err := os.Stat(old); !os.IsNotExist(err) {
			t.Errorf("the file of an earlier version: %v, want it gone", err)
		}

		second := restarted(t, path, dir)
		if !second.host.files.warm.restored || second.host.files.kept != kept {
			t.Errorf("the second run did not take %s", kept)
		}
		// V8 takes it, too.
		files := second.host.files
		script := fmt.Sprintf(`const fs = require('fs')
			const load = require('vm').Script
			require('vm').Script = class extends load {
				constructor (...args) { super(...args); console.log('rejected', this.cachedDataRejected) }
			}
			try { require(%q) } catch {}
			process.exit()`, files.boot)
		out, err := files.machine.Command(t.Context(), second.cfg.MemoryMiB, "-e", script).Output()
		if err != nil || !bytes.HasPrefix(out, []byte("rejected false\n")) {
			t.Errorf("V8 says %q, %v", out, err)
		}

		content, err := os.ReadFile(kept)
		if err != nil {
			t.Fatal(err)
		}
		for name, damaged := range map[string][]byte{
			"cut short": content[:len(content)/2], "empty": {},
			"changed": append(bytes.Clone(content[:len(content)-1]), content[len(content)-1]^1),
		} {
			if err := os.WriteFile(kept, damaged, 0o600); err != nil {
				t.Fatal(err)
			}
			f := restarted(t, path, dir)
			if f.host.files.warm.restored {
				t.Errorf("%s: a damaged cache was taken", name)
			}
			waittest.True(t, "the cache is made again", func() bool {
				again, err := os.ReadFile(kept)
				return err == nil && len(again) > len(content)/2 && !bytes.Equal(again, damaged)
			})
		}
	})
}

// Without a folder for it that can be written, plugins run all the same.
func TestPluginsRunWithoutAKeptCache(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, fs.FileMode(0o600)); err != nil {
		t.Fatal(err)
	}
	f := restarted(t, "", filepath.Join(file, "cache"))
	waittest.True(t, "the cache of this run", func() bool { _, err := os.Stat(f.host.files.cache); return err == nil })
}
