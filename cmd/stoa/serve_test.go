package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"stoa/internal/testkit/logtest"
	"stoa/internal/testkit/pgtest"
	"stoa/internal/testkit/waittest"
)

// server is a stoa process.
type server struct {
	URL string
	cmd *exec.Cmd

	out  logtest.Buffer // standard output
	read chan struct{}  // closed when all of the log is read

	mu  sync.Mutex
	log strings.Builder
}

var listening = regexp.MustCompile(`msg=listening url=(http://\S+)`)

// serve starts stoa serve with a port of its own and returns when it listens. Without --demo, it has no
// Node.js: looking at it takes half as long as the rest of a start.
func serve(t *testing.T, env []string, args ...string) *server {
	t.Helper()
	stoa, err := exec.LookPath("stoa") // testscript.Main put it there
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), stoa,
		append([]string{"serve", "--addr=127.0.0.1:0", "--ops-addr=off"}, args...)...)
	if !slices.Contains(args, "--demo") {
		env = append([]string{"STOA_NODE=" + filepath.Join(t.TempDir(), "none")}, env...)
	}
	cmd.Env = append(cmd.Environ(), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	s := &server{cmd: cmd, read: make(chan struct{})}
	cmd.Stdout = &s.out
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	ready := make(chan string, 1)
	go func() {
		lines := bufio.NewScanner(stderr)
		for lines.Scan() {
			s.mu.Lock()
			s.log.WriteString(lines.Text() + "\n")
			s.mu.Unlock()
			if m := listening.FindStringSubmatch(lines.Text()); m != nil {
				ready <- m[1]
			}
		}
		close(ready)
		close(s.read)
	}()
	select {
	case url, ok := <-ready:
		if !ok {
			t.Fatalf("stoa ended before it listened:\n%s", s.Log())
		}
		s.URL = url
	case <-time.After(2 * time.Minute):
		t.Fatalf("stoa does not listen:\n%s", s.Log())
	}
	return s
}

// Log returns what the process has logged so far.
func (s *server) Log() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.String()
}

// stop sends the signal a supervisor sends and returns the exit code.
func (s *server) stop(t *testing.T) int {
	t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	return s.wait(t)
}

func (s *server) wait(t *testing.T) int {
	t.Helper()
	waittest.Next(t, "the end of the log", s.read) // Wait would close the pipe
	err := s.cmd.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode()
	}
	if err != nil {
		t.Fatal(err)
	}
	return 0
}

var httpClient = &http.Client{Transport: &http.Transport{}, Timeout: time.Minute}

func do(t *testing.T, method, url, token, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := httpClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

func TestServeAnswersAndStopsWithExitCodeZero(t *testing.T) {
	t.Parallel()

	s := serve(t, nil, "--data", t.TempDir())
	waittest.Until(t, "every part to answer in time", func() error {
		if status, body := do(t, http.MethodGet, s.URL+"/readyz", "", ""); status != http.StatusOK {
			return errors.New(body)
		}
		return nil
	})
	for _, path := range []string{
		"/livez", "/openapi.json", "/docs", "/.well-known/jwks.json",
		"/api/marketplace/products",
	} {
		if status, body := do(t, http.MethodGet, s.URL+path, "", ""); status != http.StatusOK {
			t.Errorf("GET %s = %d: %s", path, status, body)
		}
	}
	if _, body := do(t, http.MethodGet, s.URL+"/livez", "", ""); !strings.Contains(body, `"version":"`+version()+`"`) {
		t.Errorf("/livez = %s, want the version", body)
	}
	if !strings.Contains(s.Log(), `level=WARN msg="test payments`) {
		t.Errorf("the log does not warn of test payments:\n%s", s.Log())
	}
	if !regexp.MustCompile(`msg="migration applied" name=0001_settings.sql took=`).MatchString(s.Log()) {
		t.Errorf("the log does not tell the migrations:\n%s", s.Log())
	}
	if code := s.stop(t); code != 0 {
		t.Errorf("exit code = %d, want 0; log:\n%s", code, s.Log())
	}
}

func TestServeSignsInTheAdministratorOfTheEnvironment(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	env := []string{"STOA_ADMIN_EMAIL=root@example.com", "STOA_ADMIN_PASSWORD=correct horse"}
	login := `{"email":"root@example.com","password":"correct horse"}`
	for range 2 { // the second start finds an administrator and changes nothing
		s := serve(t, env, "--data", dir)
		if status, body := do(t, http.MethodPost, s.URL+"/auth/login", "", login); status != http.StatusOK ||
			!strings.Contains(body, `"ADMIN"`) {
			t.Errorf("login = %d: %s", status, body)
		}
		if strings.Contains(s.Log(), "correct horse") {
			t.Error("the password is in the log")
		}
		if code := s.stop(t); code != 0 {
			t.Errorf("exit code = %d, want 0; log:\n%s", code, s.Log())
		}
	}
}

// sharedDatabases are the settings of processes that share an empty database and
// a master key, by engine.
var sharedDatabases = map[string]func(t *testing.T) []string{
	"SQLite": func(t *testing.T) []string {
		t.Helper()
		return sharedEnv(filepath.Join(t.TempDir(), "shared.db"))
	},
	"PostgreSQL": func(t *testing.T) []string { t.Helper(); return sharedEnv(pgtest.URL(t)) },
}

func sharedEnv(database string) []string {
	return []string{
		"STOA_MASTER_KEY=00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff",
		"STOA_DATABASE_URL=" + database,
	}
}

// Two processes with one database and one master key: what one does, the other
// knows at once.
func TestTwoProcessesShareOneDatabase(t *testing.T) {
	t.Parallel()

	for name, env := range sharedDatabases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			env := env(t)
			a, b := serve(t, env, "--data", t.TempDir()), serve(t, env, "--data", t.TempDir())
			status, body := do(t, http.MethodPost, a.URL+"/auth/register", "",
				`{"email":"u@example.com","username":"uuu","password":"correct horse"}`)
			if status != http.StatusCreated {
				t.Fatalf("register = %d: %s", status, body)
			}
			token := regexp.MustCompile(`"access_token":"([^"]+)"`).FindStringSubmatch(body)[1]
			if status, body := do(t, http.MethodGet, b.URL+"/auth/me", token, ""); status != http.StatusOK {
				t.Errorf("me on the other process = %d: %s", status, body)
			}
			if status, _ := do(t, http.MethodPost, b.URL+"/auth/logout", token, ""); status != http.StatusOK {
				t.Errorf("logout = %d", status)
			}
			if status, _ := do(t, http.MethodGet, a.URL+"/auth/me", token, ""); status != http.StatusUnauthorized {
				t.Errorf("me after logout on the other process = %d, want 401", status)
			}
		})
	}
}

func TestServeRefusesTheDemoOnAPublicAddress(t *testing.T) {
	t.Parallel()

	var out, errOut strings.Builder
	data := filepath.Join(t.TempDir(), "data")
	code := run(t.Context(), []string{"serve", "--demo", "--addr=0.0.0.0:0", "--data", data}, nil, &out, &errOut)
	if code != exitUsage || !strings.Contains(errOut.String(), "loopback addresses only") {
		t.Errorf("run = %d, %q", code, errOut.String())
	}
	if _, err := os.Stat(data); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a refused command leaves a data folder: %v", err)
	}
}

// Without a mail server, the log must not hand out accounts and licenses.
func TestWithoutAMailServerTheLogHoldsNoSecrets(t *testing.T) {
	t.Parallel()

	for name, tt := range map[string]struct {
		args   []string
		logged bool
	}{"by default": {nil, false}, "with --mail=log": {[]string{"--mail=log"}, true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			dir := migratedFolder(t)
			importReceiptCatalog(t, nil, dir)
			s := serve(t, nil, append(tt.args, "--data", dir)...)
			do(t, http.MethodPost, s.URL+"/auth/register", "",
				`{"email":"u@example.com","username":"uuu","password":"correct horse"}`)
			do(t, http.MethodPost, s.URL+"/auth/forgot-password", "", `{"email":"u@example.com"}`)
			_, body := do(t, http.MethodPost, s.URL+"/api/marketplace/products/pack/purchase", "",
				`{"tierId":"pro","paymentMethod":"card","billingInfo":{"email":"u@example.com"}}`)
			key := regexp.MustCompile(`STOA(-[0-9A-Z]{5}){6}`).FindString(body)
			if key == "" {
				t.Fatalf("purchase: %s", body)
			}
			if tt.logged {
				waittest.True(t, "the key in the log", func() bool { return strings.Contains(s.Log(), key) })
			}
			s.stop(t)
			log := s.Log()
			if has := strings.Contains(log, key) && strings.Contains(log, "/reset-password#"); has != tt.logged {
				t.Errorf("the log has the key and the link: %v, want %v\n%s", has, tt.logged, log)
			}
			if !tt.logged && (strings.Contains(log, key) || strings.Contains(log, "/reset-password#") ||
				strings.Count(log, "no SMTP server") != 1) {
				t.Errorf("want one WARN and no secret:\n%s", log)
			}
		})
	}
}

// Whoever runs several replicas must hear at once that they do not share limits.
func TestRedisThatIsAwayIsToldAtStart(t *testing.T) {
	t.Parallel()

	s := serve(t, nil, "--data", migratedFolder(t), "--redis-url=redis://127.0.0.1:1/0")
	if !strings.Contains(s.Log(), `level=WARN msg="Redis does not answer`) {
		t.Errorf("the log says nothing of Redis:\n%s", s.Log())
	}
}
