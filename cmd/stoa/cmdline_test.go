package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPasswordsOnTheCommandLineAreRefused(t *testing.T) {
	t.Parallel()

	const secret = "s3cr3t"
	for _, args := range [][]string{
		{"serve", "--database-url=postgres://u:" + secret + "@db/stoa"},
		{"serve", "--database-url", "postgres://u:" + secret + "@db/stoa"},
		{"migrate", "--database-url", "postgresql://db/stoa?user=u&password=" + secret},
		{"migrate", "--database-url", "postgresql://db/stoa?sslkey=k&sslpassword=" + secret},
		{"serve", "--redis-url=redis://:" + secret + "@cache:6379/0"},
		{"serve", "--redis-url=rediss://u:" + secret + "@cache:6379/0"},
		{"serve", "--smtp-url=smtp://u:" + secret + "@mail:587"},
		{"serve", "--redis-url=redis://u:" + secret + "%zz@cache:6379/0"}, // no URL, and yet
		{"keys", "list", "postgres://u:" + secret + "@db/stoa"},
	} {
		var out, errOut strings.Builder
		code := run(t.Context(), args, nil, &out, &errOut)
		if code != exitUsage || !strings.Contains(errOut.String(), "contains a password") {
			t.Errorf("stoa %s = %d, %q", strings.Join(args, " "), code, errOut.String())
		}
		if strings.Contains(out.String()+errOut.String(), secret) {
			t.Errorf("the answer repeats the password: %s", errOut.String())
		}
	}
	for _, arg := range []string{
		"postgres://u@db/stoa", "postgres://db/stoa?sslmode=disable", "redis://cache:6379",
		"data/stoa.db", "https://shop.example.com/a:b@c",
	} {
		if hasPassword(arg) {
			t.Errorf("%s is said to contain a password", arg)
		}
	}
}

// Not parallel: it changes the environment.
func TestURLsWithPasswordsAreReadFromFiles(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "url")
	database := filepath.Join(dir, "of the file.db")
	if err := os.WriteFile(file, []byte(database+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	migrate := func() (code int, answer string) {
		var out strings.Builder
		code = run(t.Context(), []string{"migrate", "--data", dir}, nil, &out, &out)
		return code, out.String()
	}
	t.Setenv("STOA_DATABASE_URL_FILE", file)
	if code, answer := migrate(); code != exitOK {
		t.Fatalf("migrate = %d, %s", code, answer)
	}
	if _, err := os.Stat(database); err != nil {
		t.Errorf("the database in the file was not used: %v", err)
	}
	t.Setenv("STOA_DATABASE_URL", database)
	if code, answer := migrate(); code != exitUsage || !strings.Contains(answer, "not both") {
		t.Errorf("with both = %d, %s", code, answer)
	}
	t.Setenv("STOA_DATABASE_URL", "")
	t.Setenv("STOA_DATABASE_URL_FILE", filepath.Join(dir, "missing"))
	if code, answer := migrate(); code != exitUsage || !strings.Contains(answer, "STOA_DATABASE_URL_FILE") {
		t.Errorf("with a missing file = %d, %s", code, answer)
	}
}
