package settings

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
		{"serve", "--redis-url=redis://:" + secret + "%zz@cache:6379/0"}, // no URL, and yet
		{"keys", "list", "postgres://u:" + secret + "@db/stoa"},
	} {
		_, err := parse(t, args...)
		if err == nil || !strings.Contains(err.Error(), "contains a password") {
			t.Errorf("stoa %s: %v", strings.Join(args, " "), err)
		} else if strings.Contains(err.Error(), secret) {
			t.Errorf("the answer repeats the password: %v", err)
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
	const database = "postgres://stoa:pw@db/stoa"
	if err := os.WriteFile(file, []byte(database+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("STOA_DATABASE_URL_FILE", file)
	if got, err := parse(t, "migrate"); err != nil || got.Migrate.DatabaseURL != database {
		t.Errorf("the database in the file was not used: %q, %v", got.Migrate.DatabaseURL, err)
	}
	t.Setenv("STOA_DATABASE_URL", database)
	if _, err := parse(t, "migrate"); err == nil || !strings.Contains(err.Error(), "not both") {
		t.Errorf("with both: %v", err)
	}
	t.Setenv("STOA_DATABASE_URL", "")
	for name, content := range map[string]string{"missing": "", "empty": "\n"} {
		at := filepath.Join(dir, name)
		if content != "" {
			if err := os.WriteFile(at, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		t.Setenv("STOA_DATABASE_URL_FILE", at)
		if _, err := parse(t, "migrate"); err == nil || !strings.Contains(err.Error(), "STOA_DATABASE_URL_FILE") {
			t.Errorf("with a file that is %s: %v", name, err)
		}
	}
}

// Not parallel: it changes the environment. The flag wins.
func TestSettingsAreVariables(t *testing.T) {
	t.Setenv("STOA_LEASE_TTL", "2h")
	t.Setenv("STOA_ALLOWED_HOSTS", "a.example,b.example")
	if got, err := parse(t, "serve"); err != nil || short(int64(got.Serve.LeaseTTL)) != "2h" ||
		len(got.Serve.AllowedHosts) != 2 {
		t.Errorf("from variables: %+v, %v", got.Serve.Licenses, err)
	}
	if got, err := parse(t, "serve", "--lease-ttl=3h"); err != nil || short(int64(got.Serve.LeaseTTL)) != "3h" {
		t.Errorf("with a flag: %+v, %v", got.Serve.Licenses, err)
	}
	t.Setenv("STOA_LEASE_TTL", "long")
	if _, err := parse(t, "serve"); err == nil ||
		!strings.Contains(err.Error(), `--lease-ttl must be a duration such as 90s, 15m or 168h, not "long"`) ||
		!strings.Contains(err.Error(), `(STOA_LEASE_TTL says so)`) {
		t.Errorf("a variable that is no duration: %v", err)
	}
}
