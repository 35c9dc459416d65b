package install_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"stoa/internal/extension"
	"stoa/internal/extension/bundle"
	"stoa/internal/extension/install"
	"stoa/internal/store"
	"stoa/internal/testkit/ziptest"
)

// withBundles makes an installer install bundles, too.
func withBundles(tb testing.TB, in *installer) {
	tb.Helper()
	in.Kinds[extension.Bundle] = bundle.Registry{Service: &bundle.Service{
		Store: store.NewBundles(in.db), Records: in.Records, Kinds: in.Kinds, Now: time.Now,
	}}
}

const bundleManifest = `{"schemaVersion":1,"slug":"starter","name":"S","version":"1.0.0","items":[` +
	`{"kind":"plugin","path":"a.zip"},{"kind":"plugin","path":"b.zip"}]}`

// noise is a plugin with that much content that cannot be compressed.
func noise(tb testing.TB, slug string, size int) string {
	tb.Helper()
	content := make([]byte, size)
	random := rand.NewChaCha8([32]byte{})
	_, _ = random.Read(content)
	return string(ziptest.Build(tb,
		ziptest.Entry{Name: "manifest.json", Body: strings.Replace(manifest, "pay", slug, 1)},
		ziptest.Entry{Name: "index.js", Body: "1"}, ziptest.Entry{Name: "data.js", Body: string(content), Store: true}))
}

// A bundle is never held in memory, nor are its items.
func TestABundleTakesLittleMemory(t *testing.T) { //nolint:paralleltest // it counts what the process allocates
	const size = 40 << 20
	in := mustOpen(t, t.TempDir(), nothing)
	withBundles(t, in)
	data := ziptest.Build(t, ziptest.Entry{Name: "bundle.json", Body: bundleManifest},
		ziptest.Entry{Name: "a.zip", Body: noise(t, "aa", size), Store: true},
		ziptest.Entry{Name: "b.zip", Body: noise(t, "bb", size), Store: true})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	up, err := in.Receive(extension.Bundle, bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	defer up.Close()
	res, err := in.Install(t.Context(), extension.Bundle, up)
	runtime.ReadMemStats(&after)
	if done, ok := res.Record.(bundle.Installed); err != nil || !ok || len(done.Items) != 2 {
		t.Fatalf("install = %+v, %v", res, err)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > size/2 {
		t.Errorf("a bundle of %d MiB took %d MiB of memory, all in all", 2*size>>20, took>>20)
	}
}

// A damaged item is reported like any other fault, and the items before it leave nothing.
func TestADamagedItemIsTold(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	in := mustOpen(t, dir, nothing)
	withBundles(t, in)
	bad := []byte(noise(t, "bb", 1000))
	bad[bytes.Index(bad, []byte("data.js"))+200] ^= 1
	data := ziptest.Build(t, ziptest.Entry{Name: "bundle.json", Body: bundleManifest},
		ziptest.Entry{Name: "a.zip", Body: noise(t, "aa", 1000)}, ziptest.Entry{Name: "b.zip", Body: string(bad)})
	up, err := in.Receive(extension.Bundle, bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	_, err = in.Install(t.Context(), extension.Bundle, up)
	if err == nil || !strings.Contains(err.Error(), install.CodeInvalidBundle) ||
		!strings.Contains(err.Error(), "b.zip (data.js): The entry's checksum is wrong.") {
		t.Errorf("install = %v", err)
	}
	if err := up.Close(); err != nil {
		t.Error(err)
	}
	if got := files(t, dir); len(got) != 0 {
		t.Errorf("left = %q", got)
	}
}

// slow is a database before whose first transaction of a bundle something else happens.
type slow struct {
	install.Transactions

	before func()
}

func (s *slow) InTurn(ctx context.Context, fn func(tx extension.Tx) error) error {
	if before := s.before; before != nil {
		s.before = nil
		before()
	}
	return s.Transactions.InTurn(ctx, fn)
}

// While a bundle is being installed, somebody installs one of its items, from the same
// archive: the bundle finds it. From another archive: the bundle is refused, and the error says
// what is in the way.
func TestABundleBesideAnInstallOfItsItem(t *testing.T) {
	t.Parallel()

	for name, row := range map[string]struct {
		content int
		want    string
	}{"same": {1000, ""}, "other": {2000, "The same or a higher version of this package is installed"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			in := mustOpen(t, t.TempDir(), nothing)
			withBundles(t, in)
			in.Records = &slow{in.Records, func() {
				up, err := in.Receive(extension.Plugin, strings.NewReader(noise(t, "aa", row.content)))
				if err != nil {
					t.Fatal(err)
				}
				defer up.Close()
				if _, err := in.Install(t.Context(), extension.Plugin, up); err != nil {
					t.Fatal(err)
				}
			}}
			data := ziptest.Build(t, ziptest.Entry{Name: "bundle.json", Body: bundleManifest},
				ziptest.Entry{Name: "a.zip", Body: noise(t, "aa", 1000)}, ziptest.Entry{Name: "b.zip", Body: noise(t, "bb", 1000)})
			up, err := in.Receive(extension.Bundle, bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			defer up.Close()
			res, err := in.Install(t.Context(), extension.Bundle, up)
			if row.want != "" {
				if err == nil || !strings.Contains(err.Error(), row.want) {
					t.Errorf("install = %v, want %s", err, row.want)
				}
				return
			}
			done, ok := res.Record.(bundle.Installed)
			if err != nil || !ok || done.Items[0].Outcome != extension.WasDuplicate ||
				done.Items[1].Outcome != extension.WasInstalled {
				t.Errorf("install = %+v, %v", res, err)
			}
		})
	}
}

// A crash between the last files of a slug and their folder leaves an empty folder.
func TestSweepRemovesEmptyFoldersOfSlugs(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	in := mustOpen(t, dir, nothing)
	empty := filepath.Join(dir, "plugins", "gone")
	if err := os.MkdirAll(empty, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		after time.Duration
		stays bool
	}{{0, true}, {2 * install.LeftoverAge, false}} {
		if err := in.Sweep(t.Context(), time.Now().Add(row.after)); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(empty); (err == nil) != row.stays {
			t.Errorf("after %s: %v", row.after, err)
		}
	}
	if _, err := os.Stat(filepath.Dir(empty)); err != nil {
		t.Errorf("the folder of the kind: %v", err)
	}
}
