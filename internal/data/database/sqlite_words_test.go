package database_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stoa/internal/data/database"
)

// SQLite's own words name no file and help nobody.
func TestAFileThatIsNoDatabaseIsNamedWithWhatToDo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := filepath.Join(dir, "stoa.db")
	if err := os.WriteFile(text, []byte(strings.Repeat("This is a text.\n", 300)), 0o600); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(dir, "folder.db")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{text: "restore the file from a backup", folder: "read and write the file"} {
		db, err := database.Open(path)
		if err == nil {
			_ = db.Close()
			t.Fatalf("%s was opened", path)
		}
		if !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, which does not name %s and say %q", err, path, want)
		}
	}
}
