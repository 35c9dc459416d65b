package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"stoa/internal/testkit/waittest"
)

// serveDemo starts stoa with demo data and returns when it is complete.
func serveDemo(t *testing.T, dir string) *server {
	t.Helper()
	s := serve(t, nil, "--demo", "--data", dir)
	waittest.Until(t, "the welcome", func() error {
		if !strings.Contains(s.out.String(), "Stop with Ctrl-C") {
			return errors.New(s.Log())
		}
		return nil
	})
	return s
}

// made is logged by the start that makes the sample sales.
const made = "sample sales were made"

// The whole demo with real Node, started three times: a start takes seconds.
func TestDemo(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	s := serveDemo(t, dir)
	s.wantDemo(t)
	password := demoPassword(t, dir)
	s.wantPasswordPrintedOnce(t, password)
	before := demoState(t, s, dir)
	s.changePassword(t, password, publicPassword) // as in a data folder of an earlier version
	s.wantStop(t)

	s = serveDemo(t, dir)
	s.wantKeptPassword(t, dir, password)
	if after := demoState(t, s, dir); after != before {
		t.Errorf("the second start changed something:\n%s\n%s", before, after)
	}
	if strings.Contains(s.Log(), made) {
		t.Errorf("the second start made sales again; log:\n%s", s.Log())
	}
	s.changePassword(t, password, "something else")
	s.wantStop(t)

	// A demo whose administrator has changed the password starts all the same.
	s = serveDemo(t, dir)
	if status, body := do(t, http.MethodGet, s.URL+"/api/v1/shop/plugins/loyalty-points/api/rules",
		"", ""); status != http.StatusOK {
		t.Errorf("external plugin = %d: %s", status, body)
	}
	if !strings.Contains(s.Log(), "password was changed") {
		t.Errorf("the log does not say why the plugins were left alone:\n%s", s.Log())
	}
	s.wantStop(t)
}

// wantDemo checks a first start: the three plugins answer, sales were made, and the commands of the welcome
// work when pasted.
func (s *server) wantDemo(t *testing.T) {
	t.Helper()
	for path, want := range map[string]string{
		"/api/marketplace/products?limit=100":                               `"total":12`,
		"/api/v1/shop/plugins/gift-notes/health":                            `"slug":"gift-notes"`,
		"/api/v1/shop/plugins/shipping-rates/api/quote?country=FR&weight=1": `"to":"FR"`,
		"/api/v1/shop/plugins/loyalty-points/health":                        `"slug":"loyalty-points"`,
		"/api/v1/shop/plugins/loyalty-points/api/rules":                     `"pointsPerUnit"`,
		// the service verified the signature
	} {
		var status int
		var body string
		waittest.Until(t, "the answer of the plugin", func() error { // it may start for longer than a call waits
			if status, body = do(t, http.MethodGet, s.URL+path, "", ""); status >= http.StatusInternalServerError {
				return fmt.Errorf("GET %s = %d, %s", path, status, body)
			}
			return nil
		})
		if status != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("GET %s = %d, %s; want %s", path, status, body, want)
		}
	}
	if !strings.Contains(s.Log(), made) {
		t.Errorf("the first start made no sales; log:\n%s", s.Log())
	}
	pasted := exec.CommandContext(t.Context(), "bash", "-c",
		"set -eu\n"+s.out.String()[strings.Index(s.out.String(), "  # register"):strings.Index(s.out.String(), "Stop with")])
	if out, err := pasted.CombinedOutput(); err != nil || !strings.Contains(string(out), `"valid":true`) ||
		strings.Contains(string(out), `"success":false`) {
		t.Errorf("the welcome's commands: %v\n%s", err, out)
	}
}

// publicPassword is what the demo's administrator had in earlier versions.
const publicPassword = "stoa-demo-admin"

// wantPasswordPrintedOnce checks a first start: the administrator's password is one that nobody can know
// beforehand.
func (s *server) wantPasswordPrintedOnce(t *testing.T, password string) {
	t.Helper()
	if strings.Count(s.out.String(), password) != 1 || strings.Contains(s.Log(), password) {
		t.Errorf("the password is not printed exactly once:\n%s\n%s", s.out.String(), s.Log())
	}
	if status, _ := logIn(t, s, password); status != http.StatusOK {
		t.Errorf("login with the printed password = %d", status)
	}
	if status, _ := logIn(t, s, publicPassword); status != http.StatusUnauthorized {
		t.Errorf("login with the public password of earlier versions = %d, want 401", status)
	}
}

// wantKeptPassword checks a second start, whose administrator had the public password before it.
func (s *server) wantKeptPassword(t *testing.T, dir, password string) {
	t.Helper()
	if strings.Contains(s.out.String(), password) {
		t.Errorf("the second start prints the password again:\n%s", s.out.String())
	}
	if status, _ := logIn(t, s, publicPassword); status != http.StatusUnauthorized {
		t.Errorf("after an upgrade, login with the public password = %d, want 401", status)
	}
	if status, _ := logIn(t, s, password); status != http.StatusOK || demoPassword(t, dir) != password {
		t.Errorf("after a restart, login with the kept password = %d", status)
	}
}

func (s *server) wantStop(t *testing.T) {
	t.Helper()
	if code := s.stop(t); code != 0 {
		t.Errorf("exit code = %d, want 0; log:\n%s", code, s.Log())
	}
}

// demoPassword returns the password kept in the data folder of a demo.
func demoPassword(t *testing.T, dir string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "demo", "admin-password"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

func logIn(t *testing.T, s *server, password string) (status int, token string) {
	t.Helper()
	status, body := do(t, http.MethodPost, s.URL+"/auth/login", "",
		`{"email":"admin@example.com","password":"`+password+`"}`)
	if m := regexp.MustCompile(`"access_token":"([^"]+)"`).FindStringSubmatch(body); m != nil {
		token = m[1]
	}
	return status, token
}

func (s *server) changePassword(t *testing.T, from, to string) {
	t.Helper()
	_, token := logIn(t, s, from)
	body := `{"currentPassword":"` + from + `","newPassword":"` + to + `"}`
	if status, body := do(t, http.MethodPost, s.URL+"/auth/change-password", token, body); status != http.StatusOK {
		t.Fatalf("change password = %d: %s", status, body)
	}
}

// demoState returns the packages and instances with their times of change.
func demoState(t *testing.T, s *server, dir string) string {
	t.Helper()
	status, token := logIn(t, s, demoPassword(t, dir))
	if status != http.StatusOK {
		t.Fatalf("login = %d", status)
	}
	_, packages := do(t, http.MethodGet, s.URL+"/api/v1/admin/extensions", token, "")
	var instances struct {
		Data struct{ Items []map[string]any }
	}
	_, answer := do(t, http.MethodGet, s.URL+"/api/v1/admin/plugins/shipping-rates/instances", token, "")
	if err := json.Unmarshal([]byte(answer), &instances); err != nil {
		t.Fatal(err)
	}
	for _, one := range instances.Data.Items { // whether it runs, and how well
		delete(one, "runtime")
		delete(one, "lifecycleWarning")
	}
	_, products := do(t, http.MethodGet, s.URL+"/api/marketplace/products?limit=100", "", "")
	return packages + fmt.Sprint(instances.Data.Items) + regexp.MustCompile(`"downloadCount":\d+`).ReplaceAllString(products, "")
}
