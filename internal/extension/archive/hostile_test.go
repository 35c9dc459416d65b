package archive_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/extension/archive"
	"stoa/internal/testkit/ziptest"
)

// Every archive of the corpus is refused for its reason. Nothing is written before it is
// known to be wrong; what only unpacking can show never leaves the folder.
func TestHostileArchivesAreRefused(t *testing.T) {
	t.Parallel()

	corpus := ziptest.HostileArchives()
	t.Logf("%d hostile archives", len(corpus))
	seen := make(map[string]bool)
	for _, h := range corpus {
		if seen[h.Name] {
			t.Errorf("two cases have the name %s", h.Name)
		}
		seen[h.Name] = true
		t.Run(h.Name, func(t *testing.T) {
			t.Parallel()

			c, err := inspect(h.Build(t))
			above := t.TempDir()
			if err == nil {
				dir := filepath.Join(above, "in")
				if err := os.Mkdir(dir, 0o750); err != nil {
					t.Fatal(err)
				}
				err = extract(t, c, dir)
				if err := os.RemoveAll(dir); err != nil {
					t.Fatal(err)
				}
			}
			if left := tree(t, above); len(left) > 0 {
				t.Errorf("wrote %v", left)
			}
			list, ok := archive.Faults(err)
			if !ok || len(list) == 0 || list[0].Code != h.Code || list[0].Message == "" {
				t.Errorf("error %v, issues %+v; want %s with code %s first", err, list, archive.CodeInvalid, h.Code)
			}
		})
	}
	if len(corpus) < 250 {
		t.Errorf("%d hostile archives; some got lost", len(corpus))
	}
}

// The archives of the corpus are refused for what is wrong with each, not for what they
// have in common.
func TestWhatHostileArchivesHaveInCommonIsFine(t *testing.T) {
	t.Parallel()

	entries := []ziptest.RawEntry{
		{Name: "manifest.json", Body: ziptest.HostileManifest, Deflate: true},
		{Name: "index.js", Body: content, Deflate: true, Streamed: true},
		{Name: "css/"},
		{Name: "css/größe.css", Body: content, ASCII: true}, // as Info-ZIP writes it
	}
	want := map[string]string{"manifest.json": ziptest.HostileManifest, "index.js": content, "css/größe.css": content}
	for _, name := range ziptest.HarmlessNames {
		entries = append(entries, ziptest.RawEntry{Name: name, Body: content})
		want[name] = content
	}
	c, err := inspect(ziptest.Raw{Entries: entries}.Build(t))
	if err != nil {
		t.Fatal(err)
	}
	above := t.TempDir()
	dir := filepath.Join(above, "a", "b", "c")
	if err := os.MkdirAll(dir, 0o750); err != nil {
		t.Fatal(err)
	}
	if err := extract(t, c, dir); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, tree(t, dir)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if all := tree(t, above); len(all) != len(want) {
		t.Errorf("wrote outside of the folder: %v", all)
	}
}
