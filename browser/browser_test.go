// Package browser_test looks at stoa's own pages as people do: in a real
// Chromium, which driver.js drives, with a whole stoa behind them. What a page
// answers without a browser is tested in internal/api and internal/html/pages.
package browser_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/testkit"
	"stoa/internal/testkit/needtest"
)

// driver is a running driver.js, and the browser it drives.
type driver struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Scanner
	home string // a folder for whatever a browser writes
}

// Starting a browser takes longer than most scenarios, so they share one, and
// have it one after the other.
var (
	turn    sync.Mutex
	running *driver // nil: none yet, or the last one was killed
)

func TestMain(m *testing.M) {
	code := m.Run()
	if running != nil {
		running.end()
	}
	os.Exit(code)
}

func startDriver(t *testing.T) *driver {
	t.Helper()
	//nolint:usetesting // outlives the test, and a socket's path has 107 bytes
	home, err := os.MkdirTemp("", "stoa-browser-")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.ReadFile("driver.js"); err != nil { // Go repeats the tests when it has changed
		t.Fatal(err)
	}
	// Chromium without the code for windows: the same pages with a third less work.
	cmd := exec.Command(needtest.Program(t, "node", ""), "driver.js",
		needtest.Program(t, "chromium-headless-shell", "Debian: apt-get install chromium-headless-shell"))
	cmd.Env = append(os.Environ(), "HOME="+home, "TMPDIR="+home, "XDG_CONFIG_HOME=", "XDG_CACHE_HOME=")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return &driver{cmd, in, bufio.NewScanner(out), home}
}

// end ends the driver, and with it the browser.
func (d *driver) end() {
	_ = d.in.Close()
	late := time.AfterFunc(5*time.Second, func() { _ = d.cmd.Process.Kill() })
	defer late.Stop()
	_ = d.cmd.Wait()
	_ = os.RemoveAll(d.home)
}

// tab is one tab of the browser, with nothing in it of the scenarios before. When
// the test ends, it fails if a page broke its policy, reported an error, asked
// another origin for something, or sent along what the browser knows.
type tab struct{ *driver }

// newTab returns a tab that shows pages of a, for five minutes at most. Without
// Chromium, Node.js or what npm ci installs, the test is skipped, except in CI,
// where it fails.
func newTab(t *testing.T, a *testkit.App) tab {
	t.Helper()
	return newTabAt(t, a.URL)
}

// newTabAt is newTab for pages on any origin, which may ask other origins, without
// credentials.
func newTabAt(t *testing.T, origin string, others ...string) tab {
	t.Helper()
	if _, err := os.Stat("node_modules/playwright-core"); err != nil {
		needtest.Lacks(t, "playwright-core is not installed: run npm ci in browser (or make test)")
	}
	turn.Lock()
	t.Cleanup(turn.Unlock)
	if running == nil {
		running = startDriver(t)
	}
	b := tab{running}
	late := time.AfterFunc(5*time.Minute, func() { _ = b.cmd.Process.Kill() })
	t.Cleanup(func() { late.Stop() })
	b.do(t, "begin", origin, others)
	t.Cleanup(func() {
		for _, problem := range b.list(t, "end") {
			t.Errorf("problem: %s", problem)
		}
	})
	return b
}

// do has the driver do something and returns its result.
func (b tab) do(t *testing.T, command ...any) json.RawMessage {
	t.Helper()
	line, err := json.Marshal(command)
	if err != nil {
		t.Fatal(err)
	}
	if running != b.driver {
		t.Fatalf("%s: the driver is gone", line)
	}
	if _, err := b.in.Write(append(line, '\n')); err != nil || !b.out.Scan() {
		running = nil
		b.end()
		t.Fatalf("%s: the driver is gone, or five minutes have passed", line)
	}
	var result struct {
		Value json.RawMessage `json:"value"`
		Error string          `json:"error"`
	}
	if err := json.Unmarshal(b.out.Bytes(), &result); err != nil || result.Error != "" {
		t.Fatalf("%s: %s %v", line, result.Error, err)
	}
	return result.Value
}

func (b tab) list(t *testing.T, command string) (list []string) {
	t.Helper()
	if err := json.Unmarshal(b.do(t, command), &list); err != nil {
		t.Fatal(err)
	}
	return list
}

// open goes to a path of stoa's, as a link does.
func (b tab) open(t *testing.T, path string) { t.Helper(); b.do(t, "open", path) }

// fill types value into the field with a label, in place of what is in it.
func (b tab) fill(t *testing.T, label, value string) { t.Helper(); b.do(t, "fill", label, value) }

// click clicks on what has a role and a name.
func (b tab) click(t *testing.T, role, name string) { t.Helper(); b.do(t, "click", role, name) }

// key presses a key where the cursor is.
func (b tab) key(t *testing.T, name string) { t.Helper(); b.do(t, "key", name) }

// answer has requests for a path answered with status, or with nothing if it is 0.
func (b tab) answer(t *testing.T, path string, status int) {
	t.Helper()
	b.do(t, "answer", path, status)
}

// head is how every page of a shop without a name begins, after its title.
const head = `
		paragraph "Test mode: no payment is taken. How to go live"
		paragraph "Shop"`

// wayOn is how every page of a shop without a name ends.
const wayOn = `
link "Create an account"
link "Forgotten your password?"
link "Claim your orders"
link "Continue to the shop"` + languages

// languages are the links to a page in other languages, which is the last of it.
const languages = `
link "Deutsch"
link "Español"
link "Français"
link "日本語"
link "Português"`

// sees waits until the page says exactly want, a thing a line, in the words that
// a screen reader is told: role, name, value, state, description.
func (b tab) sees(t *testing.T, want string) {
	t.Helper()
	title, rest, _ := strings.Cut(strings.TrimSpace(want), "\n")
	b.shows(t, title+head+"\n"+rest+strings.ReplaceAll(wayOn, "\n", "\n\t\t"))
}

// shows is sees for all of a page, its end included.
func (b tab) shows(t *testing.T, want string) {
	t.Helper()
	want = strings.ReplaceAll(strings.TrimSpace(want), "\n\t\t", "\n")
	var got string
	if err := json.Unmarshal(b.do(t, "sees", want), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
		t.Fatalf("screen (-want +got):\n%s%s", diff, b.do(t, "where"))
	}
}

// seesStatus waits until the page's status matches a regular expression.
func (b tab) seesStatus(t *testing.T, want string) {
	t.Helper()
	var got string
	if err := json.Unmarshal(b.do(t, "status", want), &got); err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(want).MatchString(got) {
		t.Fatalf("status %q, want %s; %s", got, want, b.do(t, "where"))
	}
}

// mailed returns the address of the link in the only mail there is, without the
// server.
func mailed(t *testing.T, a *testkit.App, subject string) string {
	t.Helper()
	mails := a.Mails(t)
	if len(mails) != 1 || mails[0].Subject != subject {
		t.Fatalf("mails = %+v, want one: %q", mails, subject)
	}
	m := regexp.MustCompile(`(?m)^` + a.URL + `(/\S+#\S+)$`).FindStringSubmatch(mails[0].Text)
	if m == nil {
		t.Fatalf("no link in:\n%s", mails[0].Text)
	}
	return m[1]
}

// post sends what a page would, without it. The answer must have a status.
func post(t *testing.T, a *testkit.App, want int, path, token string, body any) {
	t.Helper()
	res := a.Do(t, testkit.Request{Method: http.MethodPost, Path: path, Token: token, Body: body})
	if res.Status != want {
		t.Fatalf("POST %s = %d, want %d\n%s", path, res.Status, want, res.Body)
	}
}

// wantHistory checks what the tab's address bar and its history hold.
func (b tab) wantHistory(t *testing.T, want ...string) {
	t.Helper()
	if got := b.list(t, "history"); !slices.Equal(got, append([]string{"about:blank"}, want...)) {
		t.Errorf("history %q, want %q", got, want)
	}
}
