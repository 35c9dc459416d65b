package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"filippo.io/age"

	"stoa/internal/app/datafolder"
	"stoa/internal/keep/backup"
	"stoa/internal/testkit/needtest"
	"stoa/internal/testkit/pgtest"
)

// stoa backup is killed with SIGKILL at random moments. What is in the folder under the name
// of a backup is always a whole one.
func TestAKilledBackupIsNoBackup(t *testing.T) {
	t.Parallel()

	env, place := backedUpShop(t)
	took := whole(t, env, "backup", "--backup-dir", place)
	for range needtest.Rounds(3, 15) {
		killOnce(t, program(t, env, "backup", "--backup-dir", place), took)
	}
	whole(t, env, "backup", "--backup-dir", place)
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
	needtest.Long(t, "it starts the program a dozen times")
	t.Parallel()

	env, place := backedUpShop(t)
	whole(t, env, "backup", "--backup-dir", place)
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

			at := func(dir string) []string {
				return append(env[:len(env)-1:len(env)-1], "STOA_DATA="+dir, "STOA_DATABASE_URL="+url(t))
			}
			took := whole(t, at(filepath.Join(t.TempDir(), "new")), "restore", file)
			for range 10 {
				dir := filepath.Join(t.TempDir(), "new")
				env := at(dir)
				killOnce(t, program(t, env, "restore", file), took)
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
				whole(t, at(dir), "restore", file)
			}
		})
	}
}

// whole runs a command to its end and returns how long it took.
func whole(t *testing.T, env []string, args ...string) time.Duration {
	t.Helper()
	began := time.Now()
	if text, err := program(t, env, args...).CombinedOutput(); err != nil {
		t.Fatalf("stoa %v: %v\n%s", args, err, text)
	}
	return time.Since(began)
}

// backedUpShop returns the environment of a shop, with its folder at the end, and a folder for
// backups. These are encrypted for a key: making one of a passphrase takes longer than a backup does,
// and most kills would hit that.
func backedUpShop(t *testing.T) (env []string, place string) {
	t.Helper()
	dir := t.TempDir()
	key, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	identity := filepath.Join(dir, "identity")
	if err := os.WriteFile(identity, []byte(key.String()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env = []string{
		"STOA_BACKUP_RECIPIENTS=" + key.Recipient().String(), "STOA_BACKUP_IDENTITY=" + identity,
		"STOA_DATA=" + migratedFolder(t),
	}
	serve(t, env).stop(t)
	return env, filepath.Join(dir, "backups")
}
