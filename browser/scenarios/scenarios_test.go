// Package scenarios_test uses the console and the storefront of a stoa with demo data as
// people do. Each *.test.js holds scenarios of one subject.
package scenarios_test

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"stoa/internal/testkit/needtest"
)

// lanes are what runs at the same time: each is a process of Node.js with a browser, and a
// stoa with demo data for its files that need no other. In a lane, files run in this order.
type lanes map[string][]string

// The files of make test, of which make proof-short runs the rest, and those that it runs
// whole: every page, dialog, list and language, in each look (kit.js), and what fewer people do.
var (
	first = lanes{
		"shop":    {"texts", "storefront", "buyers"},
		"console": {"console", "settings", "first-run"},
		"plugins": {"plugins", "instances", "themes"},
		"people":  {"payments", "shop"},
	}
	rest = lanes{
		"shop":   {"storefront", "settings", "themes", "instances", "plugins", "payments", "buyers"},
		"people": {"shop", "console"},
	}
	whole = lanes{
		"pages": {"pages", "details"},
		"console": {
			"markets", "market", "roles", "figures", "product-languages", "mails", "handoff", "events", "api-keys", "typed",
		},
		"people": {
			"second-step", "passkeys", "providers", "account-data", "invitations", "impersonation", "mailed", "language",
		},
		"looks": {"budgets", "discounts", "looks", "refusals", "checkout", "shared-computer"},
		"lists": {
			"trouble", "lists", "plugin-list", "portal", "trials", "plan", "sign-in-settings", "empty", "print", "keyboard",
		},
	}
)

func TestScenarios(t *testing.T) {
	t.Parallel()

	env := browserEnv(t)
	wait := start(t, env, "first", first)
	wait()
}

func TestSweeps(t *testing.T) { //nolint:paralleltest // one group of lanes after the other
	needtest.Long(t, "it opens every page in each look")

	env := browserEnv(t)
	waitRest := start(t, env, "rest", rest)
	wait := start(t, env, "all", whole)
	waitRest()
	wait()
}

// browserEnv is the environment of the lanes.
func browserEnv(t *testing.T) []string {
	t.Helper()
	if _, err := os.Stat("../node_modules/playwright-core"); err != nil {
		needtest.Lacks(t, "playwright-core is not installed: run npm ci in browser (or make test)")
	}
	if _, err := os.Stat("../../web/dist/assets/manifest.json"); err != nil {
		needtest.Lacks(t, "the console is not built: run make build")
	}
	// Chromium without the code for windows: the same pages with a third less work.
	chromium := needtest.Program(t, "chromium-headless-shell", "Debian: apt-get install chromium-headless-shell")
	readInputs(t)
	binary := os.Getenv("STOA_TEST_BINARY") // make test has built it
	if binary == "" {
		binary = filepath.Join(t.TempDir(), "stoa")
		build := exec.CommandContext(t.Context(), "go", "build", "-ldflags", "-s -w", "-o", binary, "stoa/cmd/stoa")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("go build: %v\n%s", err, out)
		}
	}
	return append(os.Environ(), "STOA_BINARY="+binary, "CHROMIUM="+chromium, "TMPDIR="+t.TempDir())
}

// start starts lanes with a part of their scenarios (kit.js), and returns what waits for
// their end: a test for each.
func start(t *testing.T, env []string, part string, all lanes) (wait func()) {
	t.Helper()
	ended := make(map[string]func(*testing.T))
	for name, subjects := range all {
		ended[name] = startLane(t, append(env[:len(env):len(env)], "STOA_SCENARIOS="+part), subjects)
	}
	return func() {
		for name, wait := range ended {
			t.Run(part+" "+name, wait)
		}
	}
}

// startLane starts a lane, and returns the test that waits for its end. All lanes run at once:
// a browser waits more than it computes.
func startLane(t *testing.T, env, subjects []string) func(*testing.T) {
	t.Helper()
	node := needtest.Program(t, "node", "")
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

// divided finds what makes make test leave a part of a file to make proof-short.
var divided = regexp.MustCompile(`(?m)^\s*(sweep|seen|sweepSeen)\(`)

// A file, or a part of one, that is in no lane would never run.
func TestEveryFileIsInALane(t *testing.T) {
	t.Parallel()

	files, err := filepath.Glob("*.test.js")
	if err != nil || len(files) == 0 {
		t.Fatalf("scenarios: %v %v", files, err)
	}
	var parts []string
	for _, file := range slices.Concat(first.files(), rest.files()) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if divided.Match(text) && !slices.Contains(parts, file) {
			parts = append(parts, file)
		}
	}
	slices.Sort(parts)
	for _, file := range rest.files() {
		if !slices.Contains(first.files(), file) {
			t.Errorf("%s is in a lane of the rest, and in none of make test", file)
		}
	}
	if all := slices.Sorted(slices.Values(slices.Concat(first.files(), whole.files()))); !slices.Equal(files, all) {
		t.Errorf("lanes list %q, there are %q", all, files)
	}
	if !slices.Equal(parts, rest.files()) {
		t.Errorf("the lanes of the rest list %q, there are rests of %q", rest.files(), parts)
	}
}

// files are the names of the files in lanes, sorted.
func (l lanes) files() (names []string) {
	for _, subjects := range l {
		for _, subject := range subjects {
			names = append(names, subject+".test.js")
		}
	}
	slices.Sort(names)
	return names
}

// readInputs opens the files that decide how the scenarios end: Go then repeats the test when one
// of them has changed. Importing what the scenarios run would do that, too, and link it once more.
func readInputs(t *testing.T) {
	t.Helper()
	var files []string
	for _, pattern := range []string{
		"*.js", "fill/*.go", "../package-lock.json", "../../go.sum", "../../cmd/stoa/*.go",
		"../../web/*.go", "../../web/texts/*.json",
	} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v %v", pattern, found, err)
		}
		files = append(files, found...)
	}
	for _, room := range []string{"../../internal", "../../examples", "../../web/dist", "../../api"} {
		err := filepath.WalkDir(room, func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir() && slices.Contains([]string{"node_modules", "testdata", "testkit", "proof"}, entry.Name()):
				return filepath.SkipDir
			case entry.Type().IsRegular() && !strings.HasSuffix(path, "_test.go"):
				files = append(files, path)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range files {
		if _, err := os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
	}
}
