package install_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa/internal/bundle"
	"stoa/internal/errs"
	"stoa/internal/extension"
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

// An item whose content is damaged is told like any other fault, and the items before it
// leave nothing.
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

// The folder of a slug goes with the last files in it, also while others are installed there.
func TestTheFolderOfASlugIsRemovedWithItsLastFiles(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	in := mustOpen(t, dir, nothing)
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			for j := range 10 {
				body := fmt.Sprintf(`{"schemaVersion":1,"slug":"pay","name":"N%d","version":"1.%d.%d",`+
					`"runtimeType":"external-http","externalBaseUrl":"https://a.example"}`, i, i, j)
				_, err := add(t.Context(), in, ziptest.Build(t, ziptest.Entry{Name: "manifest.json", Body: body}))
				if k := errs.KindOf(err); err != nil && k != errs.Conflict && k != errs.NotFound {
					t.Error(err)
				}
				if paths, err := in.Plugins.Purge(t.Context(), "pay"); err == nil {
					in.Discard(t.Context(), paths...)
				}
			}
		})
	}
	all.Wait()
	if paths, err := in.Plugins.Purge(t.Context(), "pay"); err == nil {
		in.Discard(t.Context(), paths...)
	}
	if _, err := os.Stat(filepath.Join(dir, "plugins", "pay")); !os.IsNotExist(err) {
		t.Errorf("the folder is there: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "plugins")); err != nil {
		t.Error(err)
	}
}
