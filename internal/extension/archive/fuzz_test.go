package archive_test

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/extension/archive"
	"stoa/internal/testkit/ziptest"
)

// FuzzPackage looks for archives that make Inspect or ExtractTo panic, that write
// outside their folder or anything but what they promise, or in which another reader
// sees other files.
func FuzzPackage(f *testing.F) {
	f.Add(good(f))
	f.Add(good(f, entry{Name: "css/"}, entry{Name: "css/a.css", Body: "a{}", Store: true}))
	f.Add(withSizes(f, stated{"a.js", 10, 20}))
	for _, h := range ziptest.HostileArchives() {
		if data := h.Build(f); len(data) < 4096 { // mutating large ones finds nothing
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := inspect(data)
		if err != nil {
			if _, ok := archive.Faults(err); !ok {
				t.Errorf("an error that is not about the archive: %v", err)
			}
			return
		}
		if size(p) > 16<<20 {
			return // the disk of the machine that fuzzes
		}
		outside := t.TempDir()
		dir := filepath.Join(outside, "in")
		if err := os.Mkdir(dir, 0o750); err != nil {
			t.Fatal(err)
		}
		failed := extract(t, p, dir)
		promised := make(map[string]int)
		for _, file := range p.Files() {
			promised["in/"+file.Name] = int(file.Size)
		}
		written := make(map[string]int)
		for name, content := range tree(t, outside) {
			written[name] = len(content)
			if most, ok := promised[name]; !ok || len(content) > most {
				t.Errorf("wrote %q with %d bytes; promised are %v", name, len(content), promised)
			}
		}
		if failed != nil {
			return
		}
		if diff := cmp.Diff(promised, written); diff != "" || len(promised) != len(p.Files()) {
			t.Errorf("files (-promised +written):\n%s", diff)
		}
		agree(t, data, tree(t, dir))
	})
}

// agree fails the test unless archive/zip finds the same files with the same contents.
func agree(t *testing.T, data []byte, got map[string]string) {
	t.Helper()
	zr, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatalf("archive/zip cannot read it: %v", err)
	}
	want, below := make(map[string]string), make(map[string]string) // below the top-level folder
	for _, f := range zr.File {
		if strings.HasSuffix(f.Name, "/") || archive.LeftOut(f.Name) {
			continue
		}
		rc, err := f.Open()
		if err != nil {
			t.Fatalf("archive/zip: %v", err)
		}
		content, err := io.ReadAll(rc)
		if err != nil {
			t.Fatalf("archive/zip: %v", err)
		}
		want[f.Name] = string(content)
		_, rest, _ := strings.Cut(f.Name, "/")
		below[rest] = string(content)
	}
	if cmp.Equal(below, got) {
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("archive/zip reads other contents (-zip +ours):\n%s", diff)
	}
}
