package license_test

import (
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"stoa/internal/testkit"
)

// The README's example, in a module of its own with a copy of this folder.
func TestTheExampleOfTheREADMERunsInAnotherModule(t *testing.T) {
	t.Parallel()
	a := vendor(t)
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(readme), "```go\n")
	example, _, _ = strings.Cut(example, "```")

	dir := t.TempDir()
	write := func(name string, data []byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "license"), 0o700); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(name, "_test.go") {
			write(filepath.Join("license", name), data)
		}
	}
	write("go.mod", []byte("module example.com/yourapp\n\ngo 1.22\n"))
	write("main.go", []byte(example))
	write("license-keys.json", a.Do(t, testkit.Request{Method: http.MethodGet, Path: "/api/marketplace/license-keys"}).Body)

	cmd := exec.CommandContext(t.Context(), "go", "run", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=", "GOWORK=off", "SHOP_URL="+a.URL, "LICENSE_KEY="+a.BuyMailPack(t))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || string(out) != "valid true [templates]\n" || stderr.Len() > 0 {
		t.Errorf("%v\n%s%s", err, out, &stderr)
	}
	if _, err := os.Stat(filepath.Join(dir, "lease.json")); err != nil {
		t.Error(err)
	}
}
