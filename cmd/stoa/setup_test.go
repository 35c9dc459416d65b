package main

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
)

var setupLink = regexp.MustCompile(`link=(http://\S+/setup)#([A-Z2-7]{26})`)

// setupToken returns the token of the set-up link, which is logged before the
// server says that it listens, or "".
func (s *server) setupToken(t *testing.T) string {
	t.Helper()
	m := setupLink.FindStringSubmatch(s.Log())
	if m == nil {
		return ""
	}
	if status, body := do(t, http.MethodGet, m[1], "", ""); status != http.StatusOK || !strings.Contains(body, "<h1") {
		t.Errorf("GET %s = %d: %s", m[1], status, body)
	}
	return m[2]
}

// setUp returns the status of an answer to the form of the link. A machine that is too busy to hash a password in time
// says 503, and is asked again.
func (s *server) setUp(t *testing.T, token, name string) int {
	t.Helper()
	for {
		status, body := do(t, http.MethodPost, s.URL+"/auth/setup", "",
			`{"token":"`+token+`","email":"`+name+`@example.com","username":"`+name+`","password":"correct horse"}`)
		if status != http.StatusServiceUnavailable {
			return status
		}
		t.Logf("set-up: %s", body)
	}
}

// The link of the last start works, once, on either process; with an
// administrator there, none is printed.
func TestServePrintsASetupLinkWhileThereIsNoAdministrator(t *testing.T) {
	t.Parallel()

	for name, env := range sharedDatabases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			env := env(t)
			a := serve(t, env, "--data", t.TempDir())
			old := a.setupToken(t)
			b := serve(t, env, "--data", t.TempDir())
			token := b.setupToken(t)
			if old == "" || token == "" || old == token {
				t.Fatalf("tokens %q and %q, want two", old, token)
			}
			if status := a.setUp(t, old, "eve"); status != http.StatusNotFound {
				t.Errorf("with the link of the start before = %d, want 404", status)
			}
			statuses := make(chan int, 4)
			for i, s := range []*server{a, b, a, b} {
				go func() { statuses <- s.setUp(t, token, "root"+string(rune('a'+i))) }()
			}
			created := 0
			for range cap(statuses) {
				switch status := <-statuses; status {
				case http.StatusCreated:
					created++
				case http.StatusNotFound:
				default:
					t.Errorf("status %d", status)
				}
			}
			if created != 1 {
				t.Errorf("%d administrators were created with one link, want 1", created)
			}
			c := serve(t, env, "--data", t.TempDir())
			if code := c.stop(t); code != 0 || c.setupToken(t) != "" {
				t.Errorf("with an administrator there: exit code %d, log:\n%s", code, c.Log())
			}
		})
	}
}
