package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stoa/internal/app/datafolder"
	"stoa/internal/keep/backup"
	"stoa/internal/testkit/pgtest"
)

// stoa backup is killed with SIGKILL at random moments. What is in the folder under the name
// of a backup is always a whole one.
func TestAKilledBackupIsNoBackup(t *testing.T) {
	t.Parallel()

	env, place := backedUpShop(t)
	killAgainAndAgain(t, env, 15, "backup", "--backup-dir", place)
	names, err := backup.Folder(place).List(t.Context())
	if err != nil || len(names) == 0 {
		t.Fatalf("the folder has %q, %v", names, err)
	}
	for _, name := range names {
		if text, err := program(t, env, "backup", "verify", filepath.Join(place, name)).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
}

// stoa restore is killed with SIGKILL at random moments. Run again, it either says what is in
// its way, or restores, and never touches a shop that is there.
func TestAKilledRestoreIsNoShop(t *testing.T) {
	t.Parallel()

	env, place := backedUpShop(t)
	if text, err := program(t, env, "backup", "--backup-dir", place).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	names, err := backup.Folder(place).List(t.Context())
	if err != nil || len(names) != 1 {
		t.Fatalf("the folder has %q, %v", names, err)
	}
	file := filepath.Join(place, names[0])
	for name, url := range map[string]func(testing.TB) string{
		"SQLite": func(testing.TB) string { return "" }, "PostgreSQL": pgtest.URL,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			for range 10 {
				dir := filepath.Join(t.TempDir(), "new")
				env := []string{env[0], "STOA_DATA=" + dir, "STOA_DATABASE_URL=" + url(t)}
				cmd := program(t, env, "restore", file)
				killOnce(t, cmd)
				again, err := program(t, env, "restore", file).CombinedOutput()
				text := string(again)
				// Whatever is left is named, and taken away by the operator; then it works.
				if err != nil && !strings.Contains(text, "not empty") && !strings.Contains(text, "there is a file") {
					t.Fatalf("after a killed restore: %v\n%s", err, text)
				}
				if err == nil {
					continue
				}
				if _, whole := os.Stat(filepath.Join(dir, datafolder.ServedFile)); whole == nil {
					continue // it was over already
				}
				if err := os.RemoveAll(dir); err != nil {
					t.Fatal(err)
				}
				env[2] = "STOA_DATABASE_URL=" + url(t)
				if text, err := program(t, env, "restore", file).CombinedOutput(); err != nil {
					t.Fatalf("in an empty place: %v\n%s", err, text)
				}
			}
		})
	}
}

// backedUpShop returns the environment of a shop, with a folder for backups.
func backedUpShop(t *testing.T) (env []string, place string) {
	t.Helper()
	dir := t.TempDir()
	env = []string{"STOA_BACKUP_PASSPHRASE=a passphrase", "STOA_DATA=" + filepath.Join(dir, "d")}
	if text, err := program(t, append(env, "STOA_ADMIN_PASSWORD=correct horse battery"), "migrate").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	s := serve(t, env)
	s.stop(t)
	return env, filepath.Join(dir, "backups")
}
