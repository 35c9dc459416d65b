package takeover_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stoa/internal/app"
	"stoa/internal/data/blob"
	"stoa/internal/testkit"
)

// With object storage, an archive is there only. In the folder of a replica it would stay after its user: whoever
// removes archives is another process. What releases before kept there is removed.
func TestNoReplicaKeepsAnArchiveThatIsInTheStorage(t *testing.T) {
	t.Parallel()

	var folder string
	left := strings.Repeat("a", 64) + ".sealed"
	set := func(cfg *app.Config) {
		folder = filepath.Join(cfg.DataDir, "exports")
		storage, err := blob.OpenFolder(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = storage.Close() })
		cfg.Storage = storage
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{left, ".tmp-ABCDEFGHIJKLMNOPQRSTUVWXYZ", "of-somebody-else.txt"} {
			if err := os.WriteFile(filepath.Join(folder, name), []byte("s1."), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	configured(t, set, func(t *testing.T, w *world) {
		owner := w.proven(t, victims, "ada")
		id := w.post(t, owner.Access, export, nil, 202).Text(t, "data.id")
		w.made(t)
		unzipped(t, w.Do(t, testkit.Get(owner.Access, archiveOf(id))))
		if files, err := w.Takeout.Files.List(t.Context()); err != nil || len(files) != 1 {
			t.Errorf("the storage has %d archives, %v; want 1", len(files), err)
		}
		entries, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if e.Name() != "of-somebody-else.txt" {
				t.Errorf("the folder of the replica has %s", e.Name())
			}
		}
		if len(entries) != 1 {
			t.Errorf("the folder has %d files, want what is not stoa's", len(entries))
		}
	})
}
