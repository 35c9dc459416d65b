// Package scenarios_test uses the console and the storefront of a stoa with demo data as
// people do. Each *.test.js is a test of its own, with a stoa and a browser of its own.
package scenarios_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"stoa/internal/testkit/needtest"
)

func TestScenarios(t *testing.T) {
	t.Parallel()

	if _, err := os.Stat("../node_modules/playwright-core"); err != nil {
		needtest.Lacks(t, "playwright-core is not installed: run npm ci in browser (or make test)")
	}
	if _, err := os.Stat("../../web/dist/assets/manifest.json"); err != nil {
		needtest.Lacks(t, "the console is not built: run make build")
	}
	node := needtest.Program(t, "node", "")
	chromium := needtest.Program(t, "chromium", "Debian: apt-get install chromium")
	binary := filepath.Join(t.TempDir(), "stoa") // there until the last parallel scenario has ended
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "stoa/cmd/stoa").CombinedOutput()
	if err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	files, err := filepath.Glob("*.test.js")
	if err != nil || len(files) == 0 {
		t.Fatalf("scenarios: %v %v", files, err)
	}
	for _, file := range files {
		t.Run(file, func(t *testing.T) {
			t.Parallel() // a browser waits more than it computes

			cmd := exec.CommandContext(t.Context(), node, "--test", "--test-reporter=spec", file)
			cmd.Env = append(os.Environ(), "STOA_BINARY="+binary, "CHROMIUM="+chromium, "TMPDIR="+t.TempDir())
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
