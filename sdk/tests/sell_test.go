package tests

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"stoa/internal/testkit/needtest"
)

// sellPage is the page that this file runs.
const sellPage = "../../docs/marketplace/sell-your-app.md"

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

// freePort returns a loopback address that nothing listens on.
func freePort(t *testing.T) string {
	t.Helper()
	ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().String()
}

// sellEnv is what the page asks for: stoa on the PATH, and its sources. Nothing is downloaded.
func sellEnv(t *testing.T) []string {
	t.Helper()
	bin := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", bin, "stoa/cmd/stoa").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return append(os.Environ(), "STOA="+root, "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"),
		"GOPROXY=off", "GOWORK=off", "GOFLAGS=", "npm_config_offline=true", "npm_config_cache="+t.TempDir())
}

// A new user goes from an empty folder to an app that is sold, activated, verified without network, and
// stopped by a refund: every command of the page runs as it stands, except for the port.
func TestSellYourAppWorksAsWritten(t *testing.T) {
	t.Parallel()

	for _, program := range []string{"bash", "curl", "node", "npm"} {
		needtest.Program(t, program, "")
	}
	page, err := os.ReadFile(sellPage)
	if err != nil {
		t.Fatal(err)
	}
	const address = "127.0.0.1:8080"
	list := steps(t, strings.ReplaceAll(string(page), address, freePort(t)))
	var script strings.Builder
	for i, s := range list {
		fmt.Fprintf(&script, "%s\necho '-- end of block %d'\n", s.commands, i)
	}

	var stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "bash", "-c", script.String())
	cmd.Dir, cmd.Env, cmd.Stderr, cmd.WaitDelay = t.TempDir(), sellEnv(t), &stderr, time.Second
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stop := func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) } // the shop, if a command failed
	deadline := time.AfterFunc(2*time.Minute, stop)
	defer deadline.Stop()
	out, err := cmd.Output()
	stop()
	if err != nil {
		t.Errorf("bash: %v", err)
	}
	rest := string(out)
	for i, s := range list {
		got, after, _ := strings.Cut(rest, fmt.Sprintf("-- end of block %d\n", i))
		if rest = after; got != s.prints {
			t.Errorf("the page says that\n%s\nprints\n%s\nand it prints\n%s", s.commands, s.prints, got)
		}
	}
	if t.Failed() {
		t.Logf("errors:\n%s", &stderr)
	}
}
