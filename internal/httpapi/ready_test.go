package httpapi_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"testing"
	"time"

	"stoa/internal/app"
	"stoa/internal/testkit"
	"stoa/internal/testkit/pgtest"
	"stoa/internal/testkit/redistest"
)

type readyPart struct {
	Name     string `json:"name"`
	Ready    bool   `json:"ready"`
	Required bool   `json:"required"`
}

// readyParts returns the status of /readyz, and the parts it names.
func readyParts(t *testing.T, a *testkit.App) (int, map[string]readyPart) {
	t.Helper()
	res := a.Do(t, testkit.Get("", "/readyz"))
	var body struct {
		Parts []readyPart `json:"parts"`
		Error struct {
			Details struct {
				Parts []readyPart `json:"parts"`
			} `json:"details"`
		} `json:"error"`
	}
	if err := json.Unmarshal(res.Body, &body); err != nil {
		t.Fatal(err)
	}
	parts := make(map[string]readyPart)
	for _, p := range append(body.Parts, body.Error.Details.Parts...) {
		parts[p.Name] = p
	}
	for _, secret := range []string{a.DataDir, "postgres", ".sock", "127.0.0.1", "dial", "STOA_"} {
		if bytes.Contains(res.Body, []byte(secret)) {
			t.Errorf("strangers read %q in %s", secret, res.Body)
		}
	}
	return res.Status, parts
}

// waitReady waits until a part is ready or not, and returns the status that came with it.
func waitReady(t *testing.T, a *testkit.App, part string, ready bool) int {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		status, parts := readyParts(t, a)
		p, ok := parts[part]
		if !ok {
			t.Fatalf("%s is not among %v", part, parts)
		}
		if p.Ready == ready {
			return status
		}
		if time.Now().After(end) {
			t.Fatalf("%s: ready is still %t: %v", part, !ready, parts)
		}
	}
}

// /readyz says which part is not ready. Only those take a process out of the load balancer
// without which it can serve nothing.
func TestReadyzNamesThePartThatIsNotReady(t *testing.T) {
	t.Parallel()
	postgres := pgtest.NewServer(t)
	redis := redistest.New(t)
	a := testkit.New(t, func(_ testing.TB, cfg *app.Config) {
		cfg.DatabaseURL, cfg.RedisURL, cfg.RateLimits = postgres.URL, redis.URL, true
	})

	status, parts := readyParts(t, a)
	for _, name := range []string{"process", "database", "migrations", "masterKey", "storage", "plugins", "redis"} {
		if p, ok := parts[name]; !ok || !p.Ready {
			t.Errorf("%s: %+v", name, p)
		}
	}
	if status != http.StatusOK {
		t.Fatalf("status = %d", status)
	}

	redis.Stop()
	if status := waitReady(t, a, "redis", false); status != http.StatusOK {
		t.Errorf("without Redis the status is %d, want 200: stoa counts on its own", status)
	}
	redis.Start(t)
	waitReady(t, a, "redis", true)

	postgres.Stop()
	if status := waitReady(t, a, "database", false); status != http.StatusServiceUnavailable {
		t.Errorf("without PostgreSQL the status is %d, want 503", status)
	}
	if _, parts := readyParts(t, a); !parts["redis"].Ready || !parts["storage"].Ready || parts["migrations"].Ready {
		t.Errorf("without PostgreSQL alone: %v", parts)
	}
}

// A database whose schema or master key is no longer the one that stoa started with, such
// as after a restore by hand, is not served.
func TestReadyzNoticesAnotherDatabase(t *testing.T) {
	t.Parallel()

	for part, change := range map[string]string{
		"migrations": `DELETE FROM goose_db_version WHERE version_id = (SELECT max(version_id) FROM goose_db_version)`,
		"masterKey":  `UPDATE settings SET value = 'another' WHERE name = 'master_key_check'`,
	} {
		t.Run(part, func(t *testing.T) {
			t.Parallel()

			testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) {
				waitReady(t, a, part, true)
				if _, err := a.DB.Conn().Write.ExecContext(t.Context(), change); err != nil {
					t.Fatal(err)
				}
				if status := waitReady(t, a, part, false); status != http.StatusServiceUnavailable {
					t.Errorf("status = %d, want 503", status)
				}
			})
		})
	}
}

// A process that stops is not ready at once, although what it needs is.
func TestReadyzTellsOfAStopAtOnce(t *testing.T) {
	t.Parallel()
	a := testkit.New(t)

	readyParts(t, a)
	a.StopAccepting()
	status, parts := readyParts(t, a)
	if status != http.StatusServiceUnavailable || parts["process"].Ready || !parts["database"].Ready {
		t.Errorf("%d %v", status, parts)
	}
}

// Proxies do not send every request twice: a connection ends with an answer, and not between two
// requests.
func TestConnectionsOfAProcessThatStopsEndWithAnAnswer(t *testing.T) {
	t.Parallel()
	a := testkit.New(t)
	ends := func(path string) bool {
		res, err := a.Client.Get(a.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		_, _ = io.Copy(io.Discard, res.Body)
		return res.Close
	}
	paths := []string{"/livez", "/api/v1/shop/plugins/none/api/x"} // of net/http, and of package front
	for _, path := range paths {
		if ends(path) {
			t.Errorf("%s: the connection ends although nothing stops", path)
		}
	}
	a.StopAccepting()
	for _, path := range paths {
		if !ends(path) {
			t.Errorf("%s: the connection goes on", path)
		}
	}
}
