package tests

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"stoa/internal/testkit/needtest"
	"stoa/internal/testkit/porttest"
)

// step is a block of commands of a page, and what the page says that they print.
type step struct{ commands, prints string }

// steps returns the blocks of sh of a page, each with the block of text that follows it.
func steps(t *testing.T, page string) (list []step) {
	t.Helper()
	for _, block := range regexp.MustCompile("(?s)```(sh|text)\n(.*?)```").FindAllStringSubmatch(page, -1) {
		switch last := len(list) - 1; {
		case block[1] == "sh":
			list = append(list, step{commands: block[2]})
		case last < 0 || list[last].prints != "":
			t.Fatalf("the page shows what no command prints:\n%s", block[2])
		default:
			list[last].prints = block[2]
		}
	}
	return list
}

var traceID = regexp.MustCompile(`"traceId":"[0-9a-f]{32}"`)

// untraced returns output without its trace ids, which are others each time.
func untraced(output string) string { return traceID.ReplaceAllString(output, `"traceId":"…"`) }

// ownPorts replaces the ports of a page by ports that nothing listens on.
func ownPorts(t *testing.T, page string) string {
	t.Helper()
	stoa, service := porttest.Free(t), porttest.Free(t)
	for service == stoa {
		service = porttest.Free(t)
	}
	return strings.NewReplacer("127.0.0.1:8080", stoa, "127.0.0.1:9000", service).Replace(page)
}

// pageEnv is what the pages ask for: stoa on the PATH, and its sources. Nothing is downloaded.
func pageEnv(t *testing.T) []string {
	t.Helper()
	bin := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o",
		bin, "stoa/cmd/stoa").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return append(os.Environ(), "STOA="+root, "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"),
		"STOA_OPS_ADDR=off", // several run at the same time
		"GOPROXY=http://127.0.0.1:1", "GOWORK=off", "GOFLAGS=", "npm_config_offline=true", "npm_config_cache="+t.TempDir())
}

// runPages runs the commands of pages in one shell, as they stand except for the ports, and compares what
// each block prints with its page, but for trace ids. A page goes on where the one before it ends.
func runPages(t *testing.T, paths ...string) {
	t.Helper()
	var pages strings.Builder
	for _, path := range paths {
		page, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		pages.Write(page)
	}
	list := steps(t, ownPorts(t, pages.String()))
	var script strings.Builder
	for i, s := range list {
		fmt.Fprintf(&script, "%s\necho '-- end of block %d'\n", s.commands, i)
	}

	var stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "bash", "-c", script.String())
	cmd.Dir, cmd.Env, cmd.Stderr, cmd.WaitDelay = t.TempDir(), pageEnv(t), &stderr, time.Minute
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stop := func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) } // what is left, if a command failed
	deadline := time.AfterFunc(20*time.Minute, stop)
	defer deadline.Stop()
	out, err := cmd.Output()
	stop()
	if err != nil {
		t.Errorf("bash: %v", err)
	}
	rest := string(out)
	for i, s := range list {
		got, after, _ := strings.Cut(rest, fmt.Sprintf("-- end of block %d\n", i))
		if rest = after; untraced(got) != untraced(s.prints) {
			t.Errorf("%v says that\n%s\nprints\n%s\nand it prints\n%s", paths, s.commands, s.prints, got)
		}
	}
	if t.Failed() {
		t.Logf("errors:\n%s", &stderr)
	}
}

// A new user goes from an empty folder to an app that is sold, activated, verified without network, and
// stopped by a refund.
func TestSellYourAppWorksAsWritten(t *testing.T) {
	needtest.Long(t, "it builds and runs what a page tells")
	t.Parallel()

	for _, program := range []string{"bash", "curl", "node", "npm"} {
		needtest.Program(t, program, "")
	}
	runPages(t, "../../docs/marketplace/sell-your-app.md")
}

// A plugin author goes from an empty folder to a plugin that is installed, configured, enabled and called.
func TestThePluginByExampleWorksAsWritten(t *testing.T) {
	needtest.Long(t, "it builds and runs what a page tells")
	t.Parallel()

	for _, program := range []string{"bash", "curl", "zip"} {
		needtest.Program(t, program, "")
	}
	runPages(t, "../../docs/plugins/by-example.md")
}

// A vendor goes from an empty folder to a plugin on sale; an administrator of another stoa buys it, runs it, sees it
// stopped by a refund, and buys it again.
func TestSellingAndBuyingBetweenStoasWorkAsWritten(t *testing.T) {
	needtest.Long(t, "it builds and runs what two pages tell")
	t.Parallel()

	for _, program := range []string{"bash", "curl", "zip", "node"} {
		needtest.Program(t, program, "")
	}
	runPages(t, "../../docs/plugins/selling.md", "../../docs/buying.md")
}
