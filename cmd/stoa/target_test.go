package main

import (
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"stoa/internal/app/datafolder"
	"stoa/internal/testkit/pgtest"
)

// command runs stoa with env and returns what it printed and whether it succeeded.
func command(t *testing.T, env []string, args ...string) (stdout, stderr string, ok bool) {
	t.Helper()
	var out, errOut strings.Builder
	cmd := exec.CommandContext(t.Context(), "stoa", args...)
	cmd.Env = append(cmd.Environ(), env...)
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err := cmd.Run()
	return out.String(), errOut.String(), err == nil
}

// Leaked keys must not stay live because the shell that withdraws them lacks
// STOA_DATABASE_URL: a command finds the database of the server by the data folder.
func TestCommandsWorkOnTheDatabaseThatWasServed(t *testing.T) {
	t.Parallel()

	for name, env := range sharedDatabases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			env, dir := env(t), t.TempDir()
			s := serve(t, env, "--data", dir)
			key := env[:1] // the master key only
			before, told, ok := command(t, key, "keys", "list", "--data", dir)
			if !ok || strings.Count(told, "\n") != 1 || !strings.HasPrefix(told, "database: ") {
				t.Fatalf("keys list: %v\n%s", ok, told)
			}
			if out, told, ok := command(t, key, "keys", "withdraw", "--data", dir); !ok {
				t.Fatalf("keys withdraw: %s%s", out, told)
			}
			after, _, _ := command(t, env, "keys", "list", "--data", dir)
			if before == after {
				t.Errorf("the server's keys were not withdrawn:\n%s", after)
			}
			if _, err := os.Stat(filepath.Join(dir, "stoa.db")); err == nil {
				t.Error("a command created stoa.db")
			}
			s.stop(t)

			// Another database is a contradiction, for serve and migrate, too.
			other := filepath.Join(t.TempDir(), "other.db")
			elsewhere := append(key, "STOA_DATABASE_URL="+other)
			for _, args := range [][]string{
				{"keys", "withdraw"},
				{"migrate"},
				{"serve", "--addr=127.0.0.1:0", "--ops-addr=off"},
			} {
				_, told, ok := command(t, elsewhere, append(args, "--data", dir)...)
				if ok || !strings.Contains(told, "belongs to another one") {
					t.Errorf("stoa %v with another database: %v\n%s", args, ok, told)
				}
			}
			if _, err := os.Stat(other); err == nil {
				t.Error("the other database was created")
			}
		})
	}
}

// What serve writes for other commands holds no password, and neither does what
// they print.
func TestServedSettingsHoldNoSecrets(t *testing.T) {
	t.Parallel()

	at, err := url.Parse(pgtest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	at.User = url.UserPassword(at.User.Username(), "s3cret-pw") // the test's server trusts everyone
	q := at.Query()
	q.Set("sslpassword", "s3cret-pw")
	at.RawQuery = q.Encode()
	dir := t.TempDir()
	env := []string{
		"STOA_DATABASE_URL=" + at.String(), "STOA_ADMIN_PASSWORD=s3cret vexing lemur quay",
		"STOA_ADMIN_EMAIL=root@example.com",
	}
	s := serve(t, env, "--data", dir, "--password-policy=asvs")
	text, err := os.ReadFile(filepath.Join(dir, datafolder.ServedFile))
	if err != nil {
		t.Fatal(err)
	}
	_, told, ok := command(t, nil, "keys", "list", "--data", dir)
	if !ok || !strings.Contains(told, at.Path) {
		t.Errorf("keys list: %v\n%s", ok, told)
	}
	for what, text := range map[string]string{datafolder.ServedFile: string(text), "the output": told, "the log": s.Log()} {
		if strings.Contains(text, "s3cret") {
			t.Errorf("%s holds a password:\n%s", what, text)
		}
	}
	info, err := os.Stat(filepath.Join(dir, datafolder.ServedFile))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v; want 0600", info.Mode(), err)
	}

	// The server's password policy holds for commands, too.
	if _, told, ok := command(t, []string{"STOA_ADMIN_PASSWORD=123456"}, "admin",
		"create", "--data", dir, "--email=weak@example.com"); ok {
		t.Errorf("a weak password was accepted: %s", told)
	}
}

// The same database at another address is no contradiction, and a moved folder
// keeps its own.
func TestServedDatabaseMayMove(t *testing.T) {
	t.Parallel()

	at := pgtest.URL(t)
	dir := t.TempDir()
	serve(t, []string{"STOA_DATABASE_URL=" + at}, "--data", dir).stop(t)
	if _, told, ok := command(t, []string{"STOA_DATABASE_URL=" + at + "&application_name=ops"},
		"keys", "list", "--data", dir); !ok {
		t.Errorf("the same database, spelled differently: %s", told)
	}

	dir = migratedFolder(t)
	serve(t, nil, "--data", dir).stop(t)
	moved := filepath.Join(t.TempDir(), "after")
	if err := os.Rename(dir, moved); err != nil {
		t.Fatal(err)
	}
	if _, told, ok := command(t, nil, "keys", "list", "--data", moved); !ok || !strings.Contains(told, moved) {
		t.Errorf("the moved folder: %v\n%s", ok, told)
	}
}
