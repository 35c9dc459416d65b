// Package scenarios_test uses the console and the storefront of a stoa with demo data as
// people do. Each *.test.js holds scenarios of one subject.
package scenarios_test

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	_ "stoa/internal/app" // what the scenarios run: its changes make Go's cache of results stale
	"stoa/internal/testkit/needtest"
)

// lanes are what runs at the same time: each is a process of Node.js with a browser, and a
// stoa with demo data for its files that need no other. In a lane, files run in this order.
var lanes = map[string][]string{
	"pages":   {"texts", "pages", "budgets", "print", "looks", "mailed"},
	"console": {"console", "settings", "sign-in-settings", "api-keys", "keyboard", "shop", "product-languages", "discounts", "trials", "mails", "figures", "trouble", "empty", "first-run", "invitations", "impersonation"},
	"plugins": {"details", "plugins", "plugin-list", "instances", "themes", "market", "markets", "events", "roles"},
	"buyers":  {"language", "refusals", "storefront", "second-step", "account-data", "passkeys", "providers", "buyers", "plan", "portal", "payments", "handoff", "lists"},
}

func TestScenarios(t *testing.T) {
	t.Parallel()

	if _, err := os.Stat("../node_modules/playwright-core"); err != nil {
		needtest.Lacks(t, "playwright-core is not installed: run npm ci in browser (or make test)")
	}
	if _, err := os.Stat("../../web/dist/assets/manifest.json"); err != nil {
		needtest.Lacks(t, "the console is not built: run make build")
	}
	node := needtest.Program(t, "node", "")
	// Chromium without the code for windows: the same pages with a third less work.
	chromium := needtest.Program(t, "chromium-headless-shell", "Debian: apt-get install chromium-headless-shell")
	readInputs(t)
	binary := filepath.Join(t.TempDir(), "stoa")
	build := exec.CommandContext(t.Context(), "go", "build", "-ldflags", "-s -w", "-o", binary, "stoa/cmd/stoa")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	env := append(os.Environ(), "STOA_BINARY="+binary, "CHROMIUM="+chromium, "TMPDIR="+t.TempDir())
	ended := make(map[string]func(*testing.T))
	for lane, subjects := range lanes {
		ended[lane] = start(t, env, node, subjects)
	}
	for lane, wait := range ended {
		t.Run(lane, wait)
	}
}

// start starts a lane, and returns the test that waits for its end. All lanes run at once: a
// browser waits more than it computes.
func start(t *testing.T, env []string, node string, subjects []string) func(*testing.T) {
	t.Helper()
	args := []string{"--test-reporter=spec", "lane.js"}
	for _, subject := range subjects {
		args = append(args, subject+".test.js")
	}
	cmd := exec.CommandContext(t.Context(), node, args...)
	cmd.Env = env
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	// The lane ends itself, its stoas and its browser when this pipe does: when the test
	// ends, or is killed.
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Cancel = in.Close
	cmd.WaitDelay = 30 * time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return func(t *testing.T) {
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v\n%s", err, &out)
		}
	}
}

// A file that is in no lane would never run.
func TestEveryFileIsInALane(t *testing.T) {
	t.Parallel()

	files, err := filepath.Glob("*.test.js")
	if err != nil || len(files) == 0 {
		t.Fatalf("scenarios: %v %v", files, err)
	}
	var listed []string
	for _, subjects := range lanes {
		for _, subject := range subjects {
			listed = append(listed, subject+".test.js")
		}
	}
	slices.Sort(listed)
	if !slices.Equal(files, listed) {
		t.Errorf("lanes list %q, there are %q", listed, files)
	}
}

// readInputs opens the files that decide how the scenarios end, besides the packages of Go
// that are imported above: Go then repeats the test when one of them has changed.
func readInputs(t *testing.T) {
	t.Helper()
	for _, pattern := range []string{
		"*.js", "fill/*.go", "../package-lock.json", "../../cmd/stoa/*.go", "../../web/texts/*.json",
	} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v %v", pattern, files, err)
		}
		for _, file := range files {
			f, err := os.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, f)
			_ = f.Close()
		}
	}
}
