package compat_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"stoa/internal/testkit"
	"stoa/internal/testkit/needtest"
)

// apiTools has the linters and client generators of others.
const apiTools = "../api/tools"

// script returns a command that runs a Node.js program of api/tools there.
func script(t *testing.T, path string, args ...string) *exec.Cmd {
	t.Helper()
	node := needtest.Program(t, "node", "")
	program := filepath.Join("node_modules", path)
	if _, err := os.Stat(filepath.Join(apiTools, program)); err != nil {
		needtest.Lacks(t, path+" is not installed: run npm ci in api/tools (or make proof-short)")
	}
	cmd := exec.CommandContext(t.Context(), node, append([]string{program}, args...)...)
	cmd.Dir = apiTools
	cmd.Env = append(os.Environ(), "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true", "NO_COLOR=1")
	return cmd
}

// mustRun runs a command, which must succeed, and returns what it printed.
func mustRun(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
	return string(out)
}

func document(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("../api/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// faulty is a small document with two faults that each linter must find: an operationId that
// occurs twice, and an example with a number for a text.
func faulty(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(apiTools, "testdata/faulty.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// redocly returns the findings of Redocly's recommended rules, as tools/redocly.yaml
// has them.
func redocly(t *testing.T, document string) (found []any) {
	t.Helper()
	cmd := script(t, "@redocly/cli/bin/cli.js", "lint", document, "--config", "redocly.yaml", "--format", "json")
	out, err := cmd.Output() // fails with findings
	var report struct {
		Problems []any `json:"problems"`
	}
	if json.Unmarshal(out, &report) != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return report.Problems
}

// spectral returns the findings of Spectral's recommended rules, as
// tools/spectral.yaml has them.
func spectral(t *testing.T, document string) (found []any) {
	t.Helper()
	report := filepath.Join(t.TempDir(), "report.json")
	out, err := script(t, "@stoplight/spectral-cli/dist/index.js", "lint", document, "--ruleset", "spectral.yaml",
		"--format", "json", "--output", report, "--fail-severity", "hint").CombinedOutput() // fails with findings
	text, readErr := os.ReadFile(report)
	if readErr != nil || json.Unmarshal(text, &found) != nil {
		t.Fatalf("%v, %v\n%s", err, readErr, out)
	}
	return found
}

func TestLintersFindNothing(t *testing.T) {
	t.Parallel()
	needtest.Long(t, "Spectral takes half a minute")

	for name, lint := range map[string]func(*testing.T, string) []any{"Redocly": redocly, "Spectral": spectral} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			for _, finding := range lint(t, document(t)) {
				t.Errorf("%v", finding)
			}
			if found := lint(t, faulty(t)); len(found) < 2 {
				t.Errorf("it finds only %v in a document with two faults", found)
			}
		})
	}
}

// A client that oapi-codegen generates compiles, and buys: it reads each documented header of an answer.
func TestGeneratedGoClientWorks(t *testing.T) {
	t.Parallel()
	needtest.Long(t, "it generates and compiles a client")

	dir := t.TempDir()
	generate := exec.CommandContext(t.Context(), "go", "tool", "oapi-codegen", "-generate", "types,client",
		"-package", "main", "-o", filepath.Join(dir, "client.go"), document(t))
	generate.Dir = apiTools
	mustRun(t, generate)
	for from, to := range map[string]string{"go.mod": "go.mod", "go.sum": "go.sum", "testdata/use.go.txt": "main.go"} {
		copyFile(t, filepath.Join(apiTools, from), filepath.Join(dir, to))
	}
	vet := exec.CommandContext(t.Context(), "go", "vet", ".")
	vet.Dir = dir
	mustRun(t, vet)

	a := testkit.NewShop(t)
	run := exec.CommandContext(t.Context(), "go", "run", ".", a.URL, testkit.Password)
	run.Dir = dir
	got := mustRun(t, run)
	if want := "ada Mail Pack 1 true NOT_FOUND\n"; !strings.HasPrefix(got, want) || !strings.Contains(got, `"valid":true`) ||
		!strings.HasSuffix(got, " 1\n") {
		t.Errorf("the program with the generated client prints %q, want %q, a valid license, and one order", got, want)
	}
}

// What openapi-typescript and orval generate compiles with strict checks, and buys.
func TestGeneratedTypeScriptWorks(t *testing.T) {
	t.Parallel()
	needtest.Long(t, "it generates and compiles a client")

	dir := t.TempDir()
	mustRun(t, script(t, "openapi-typescript/bin/cli.js", document(t), "--output", filepath.Join(dir, "types.ts")))
	orval := script(t, "orval/dist/bin/orval.mjs", "--config", "orval.config.js")
	orval.Env = append(orval.Env, "STOA_OPENAPI="+document(t), "STOA_CLIENT="+filepath.Join(dir, "client.ts"))
	mustRun(t, orval)
	copyFile(t, filepath.Join(apiTools, "testdata/use.ts"), filepath.Join(dir, "use.ts"))
	mustRun(t, script(t, "typescript/bin/tsc", "--strict", "--target", "es2022", "--module", "commonjs",
		"--moduleResolution", "node10", "--lib", "es2022,dom,dom.iterable", "--outDir", dir,
		filepath.Join(dir, "use.ts")))

	a := testkit.NewShop(t)
	run := exec.CommandContext(t.Context(), needtest.Program(t, "node", ""), filepath.Join(dir, "use.js"), a.URL, testkit.Password)
	if got, want := mustRun(t, run), "Mail Pack true 1, eve Mail Pack active true\n"; got != want {
		t.Errorf("the program with the generated clients prints %q, want %q", got, want)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}
