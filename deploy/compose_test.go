package deploy

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// composeEnv is what an operator must choose.
var composeEnv = []string{
	"STOA_IMAGE=stoa:1", "POSTGRES_IMAGE=postgres:17", "REDIS_IMAGE=redis:8", "S3_IMAGE=s3:1",
	"STOA_PUBLIC_URL=https://shop.example.com", "STOA_PAYMENTS=live", "STOA_BUCKET=stoa",
}

// compose-go, which Docker Compose reads its files with, accepts the file; both stoas are set up
// alike, without rights.
func TestTheComposeFileIsValid(t *testing.T) {
	t.Parallel()
	heavy(t)

	dir := composeFolder(t)
	out, err := compose(t, dir, composeEnv)
	if err != nil {
		t.Fatalf("compose-go: %v\n%s", err, out)
	}
	var project struct {
		Services map[string]struct {
			ReadOnly    bool     `json:"read_only"`
			CapDrop     []string `json:"cap_drop"`
			SecurityOpt []string `json:"security_opt"`
			Environment map[string]string
			EnvFile     []struct{ Path string } `json:"env_file"`
		}
	}
	if err := json.Unmarshal(out, &project); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range []string{"stoa-1", "stoa-2"} {
		s := project.Services[name]
		if !s.ReadOnly || len(s.CapDrop) != 1 || len(s.SecurityOpt) != 2 {
			t.Errorf("%s has too many rights: %+v", name, s)
		}
		if got := s.Environment["STOA_STORAGE_URL"]; got != "s3://stoa?endpoint=http://s3:9000&region=us-east-1&path-style=on" {
			t.Errorf("%s stores in %q", name, got)
		}
		if len(s.EnvFile) != 1 || !strings.Contains(read(t, s.EnvFile[0].Path), "STOA_MASTER_KEY=") {
			t.Errorf("%s has no master key: %+v", name, s.EnvFile)
		}
	}
	if len(project.Services) != 5 {
		t.Errorf("there are %d services, want 5", len(project.Services))
	}
}

// Nothing has a default that could reach production: without a choice the file is refused, it holds no
// secret, and two sets of secrets have nothing in common.
func TestTheComposeFileHasNoDefaultSecrets(t *testing.T) {
	t.Parallel()
	heavy(t)

	for i, setting := range composeEnv {
		without := append(append([]string{}, composeEnv[:i]...), composeEnv[i+1:]...)
		if out, err := compose(t, composeFolder(t), without); err == nil {
			t.Errorf("without %s, the file is accepted\n%s", setting, out)
		}
	}
	if m := regexp.MustCompile(`(?m)^.*(PASSWORD|SECRET|_KEY)[A-Z_]*: .*$`).FindString(read(t, "compose/compose.yaml")); m != "" &&
		!strings.Contains(m, "POSTGRES_PASSWORD_FILE: /run/secrets/") {
		t.Errorf("the file has a secret: %s", m)
	}
	one, two := composeFolder(t), composeFolder(t)
	for _, name := range []string{"postgres-password", "redis-password", "database-url", "redis-url", "s3.env", "stoa.env"} {
		a, b := read(t, filepath.Join(one, "secrets", name)), read(t, filepath.Join(two, "secrets", name))
		if a == b || len(a) < 64 {
			t.Errorf("%s is %q, and %q", name, a, b)
		}
	}
}

// composeFolder returns a copy of the folder with secrets of its own.
func composeFolder(tb testing.TB) string {
	tb.Helper()
	dir := filepath.Join(tb.TempDir(), "compose")
	if err := os.CopyFS(dir, os.DirFS("compose")); err != nil {
		tb.Fatal(err)
	}
	_ = os.RemoveAll(filepath.Join(dir, "secrets")) // a developer's own
	if out, err := exec.Command(filepath.Join(dir, "make-secrets")).CombinedOutput(); err != nil {
		tb.Fatalf("make-secrets: %v\n%s", err, out)
	}
	return dir
}

var variable = regexp.MustCompile(`\$\{([A-Z0-9_]+)(:[-?])([^}]*)\}`)

// compose returns what compose-go makes of the file. The variables are filled in here: compose-go's
// own program reads none.
func compose(tb testing.TB, dir string, env []string) ([]byte, error) {
	tb.Helper()
	values := make(map[string]string)
	for _, setting := range env {
		name, value, _ := strings.Cut(setting, "=")
		values[name] = value
	}
	path, missing := filepath.Join(dir, "compose.yaml"), ""
	write(tb, path, variable.ReplaceAllStringFunc(read(tb, path), func(text string) string {
		m := variable.FindStringSubmatch(text)
		if value := values[m[1]]; value != "" {
			return value
		}
		if m[2] == ":?" {
			missing = m[3]
		}
		return m[3]
	}))
	if missing != "" {
		return nil, errors.New(missing)
	}
	cmd := exec.Command(tool(tb, "compose-go"), "-no-interpolation", "-format", "json", "compose.yaml")
	cmd.Dir = dir
	return cmd.CombinedOutput()
}

// tool returns the path of a tool of scripts/deploy-tool.
func tool(tb testing.TB, name string) string {
	tb.Helper()
	out, err := exec.Command("../scripts/deploy-tool", name).Output()
	if err != nil {
		tb.Fatalf("scripts/deploy-tool %s: %v", name, err)
	}
	return strings.TrimSpace(string(out))
}

func read(tb testing.TB, path string) string {
	tb.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return string(text)
}
