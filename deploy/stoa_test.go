// Package deploy tests the files in its folder: real servers with these files in front of, and
// around, a real stoa.
package deploy

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// TestMain removes the program that the tests built.
func TestMain(m *testing.M) {
	code := m.Run()
	if dir, err := program(); err == nil {
		_ = os.RemoveAll(filepath.Dir(dir))
	}
	os.Exit(code)
}

// program builds stoa once for all tests, and returns its path.
var program = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "stoa-deploy-")
	if err != nil {
		return "", err
	}
	// Others than the owner run it too: in the tests of the unit, the user stoa.
	if err := os.Chmod(dir, 0o755); err != nil {
		return "", err
	}
	built := os.Getenv("STOA_TEST_BINARY") // by make
	if built == "" {
		return build(dir, runtime.GOARCH)
	}
	path := filepath.Join(dir, "stoa")
	program, err := os.ReadFile(built)
	if err != nil {
		return "", err
	}
	return path, os.WriteFile(path, program, 0o755) // others run it, as said
})

// build builds stoa for an architecture into a folder, and returns its path.
func build(dir, arch string) (string, error) {
	path := filepath.Join(dir, "stoa")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path, "stoa/cmd/stoa")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOARCH="+arch)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
}

// The administrator of every stoa that the tests start.
const (
	adminEmail    = "root@shop.test"
	adminPassword = "correct horse battery staple"
)

// shop is a running stoa, at the address under which the test reaches it.
type shop struct {
	URL    string
	client *http.Client
}

var listening = regexp.MustCompile(`msg=listening url=(http://\S+)`)

// serve starts a stoa that ends with the test.
func serve(tb testing.TB, env ...string) *shop {
	tb.Helper()
	path, err := program()
	if err != nil {
		tb.Fatal(err)
	}
	return serveBy(tb, exec.Command(path), env...)
}

// serveBy is serve with a command that runs stoa.
func serveBy(tb testing.TB, cmd *exec.Cmd, env ...string) *shop {
	tb.Helper()
	cmd.Args = append(cmd.Args, "serve", "--addr=127.0.0.1:0", "--ops-addr=off", "--data", tb.TempDir())
	cmd.Env = append(append(os.Environ(), "STOA_ADMIN_EMAIL="+adminEmail, "STOA_ADMIN_PASSWORD="+adminPassword), env...)
	return &shop{URL: await(tb, cmd, listening), client: newClient(nil)}
}

// await starts a program that ends with the test, and returns what pattern matches in what it
// writes to standard error.
func await(tb testing.TB, cmd *exec.Cmd, pattern *regexp.Regexp) string {
	tb.Helper()
	stderr, err := cmd.StderrPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	var mu sync.Mutex
	var log strings.Builder
	found, ended := make(chan string, 1), make(chan struct{})
	go func() {
		defer close(ended)
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			mu.Lock()
			fmt.Fprintln(&log, lines.Text())
			mu.Unlock()
			if m := pattern.FindStringSubmatch(lines.Text()); m != nil {
				select {
				case found <- m[1]:
				default:
				}
			}
		}
	}()
	tb.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		<-ended
		_ = cmd.Wait()
		if tb.Failed() {
			tb.Logf("%s wrote:\n%s", filepath.Base(cmd.Path), &log)
		}
	})
	select {
	case got := <-found:
		return got
	case <-ended:
		tb.Fatalf("%s ended", cmd.Path)
	case <-time.After(2 * time.Minute):
		tb.Fatalf("%s does not write %s", cmd.Path, pattern)
	}
	return ""
}

// newClient returns a client with connections of its own.
func newClient(transport *http.Transport) *http.Client {
	if transport == nil {
		transport = &http.Transport{}
	}
	return &http.Client{Transport: transport, Timeout: 2 * time.Minute}
}

// do sends a request and returns the answer, whose status must be want.
func (s *shop) do(tb testing.TB, want int, method, path, token string, body []byte, contentType string) []byte {
	tb.Helper()
	req, err := http.NewRequestWithContext(tb.Context(), method, s.URL+path, bytes.NewReader(body))
	if err != nil {
		tb.Fatal(err)
	}
	req.Header.Set("Content-Type", contentType)
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := s.client.Do(req)
	if err != nil {
		tb.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		tb.Fatal(err)
	}
	if resp.StatusCode != want {
		tb.Fatalf("%s %s: %s\n%s", method, path, resp.Status, got)
	}
	return got
}

// admin signs the administrator in and returns the token.
func (s *shop) admin(tb testing.TB) string {
	tb.Helper()
	body, err := json.Marshal(map[string]string{"email": adminEmail, "password": adminPassword})
	if err != nil {
		tb.Fatal(err)
	}
	var answer struct {
		Data struct {
			AccessToken string `json:"access_token"`
		} `json:"data"`
	}
	got := s.do(tb, http.StatusOK, http.MethodPost, "/auth/login", "", body, "application/json")
	if err := json.Unmarshal(got, &answer); err != nil || answer.Data.AccessToken == "" {
		tb.Fatalf("sign-in: %v\n%s", err, got)
	}
	return answer.Data.AccessToken
}

// install installs an archive of a plugin.
func (s *shop) install(tb testing.TB, token string, archive []byte) {
	tb.Helper()
	s.do(tb, http.StatusCreated, http.MethodPost, "/api/v1/admin/extensions/plugin/install", token, archive,
		"application/zip")
}

// secret returns the signing secret of a plugin.
func (s *shop) secret(tb testing.TB, token, slug string) string {
	tb.Helper()
	var answer struct {
		Data struct {
			Secret string `json:"secret"`
		} `json:"data"`
	}
	got := s.do(tb, http.StatusOK, http.MethodGet, "/api/v1/admin/plugins/"+slug+"/secret", token, nil, "")
	if err := json.Unmarshal(got, &answer); err != nil || answer.Data.Secret == "" {
		tb.Fatalf("secret: %v\n%s", err, got)
	}
	return answer.Data.Secret
}
