package httpapi_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/textproto"
	"strings"
	"testing"

	"stoa/internal/app"
	"stoa/internal/testkit"
	"stoa/internal/testkit/pgtest"
	"stoa/internal/testkit/redistest"
	"stoa/internal/testkit/waittest"
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

// waitReady waits until a part is ready or not, with that status of the whole. On a busy machine, another part may be
// late for once, and the status be its.
func waitReady(t *testing.T, a *testkit.App, part string, ready bool, want int) {
	t.Helper()
	waittest.Until(t, fmt.Sprintf("%s to be ready: %t", part, ready), func() error {
		now, parts := readyParts(t, a)
		if p, ok := parts[part]; !ok || p.Ready != ready || now != want {
			return fmt.Errorf("%d %v", now, parts)
		}
		return nil
	})
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

	// The first look at Node.js takes its time, and Redis, which is optional, is given little.
	waittest.Until(t, "every part to be ready", func() error {
		status, parts := readyParts(t, a)
		for _, name := range []string{"process", "database", "migrations", "masterKey", "storage", "plugins", "redis"} {
			if p, ok := parts[name]; !ok || !p.Ready {
				return fmt.Errorf("%s: %+v", name, p)
			}
		}
		if status != http.StatusOK {
			t.Fatalf("status = %d", status)
		}
		return nil
	})

	redis.Stop()
	waitReady(t, a, "redis", false, http.StatusOK) // stoa counts on its own
	redis.Start(t)
	waitReady(t, a, "redis", true, http.StatusOK)

	postgres.Stop()
	waitReady(t, a, "database", false, http.StatusServiceUnavailable)
	waittest.Until(t, "PostgreSQL alone to be away", func() error {
		if _, parts := readyParts(t, a); !parts["redis"].Ready || !parts["storage"].Ready || parts["migrations"].Ready {
			return fmt.Errorf("%v", parts)
		}
		return nil
	})
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

			testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
				waitReady(t, a, part, true, http.StatusOK)
				if _, err := a.DB.Conn().Write.ExecContext(t.Context(), change); err != nil {
					t.Fatal(err)
				}
				waitReady(t, a, part, false, http.StatusServiceUnavailable)
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
	waittest.True(t, "the database to be ready", func() bool { // on a busy machine, a look may be late
		status, parts := readyParts(t, a)
		if status != http.StatusServiceUnavailable || parts["process"].Ready {
			t.Fatalf("%d %v", status, parts)
		}
		return parts["database"].Ready
	})
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

// An early answer ends nothing: HTTP/2 knows no such header, and clients of HTTP/1.1 take it for
// the last answer of the connection, and the real one for an error (Node.js does).
func TestAnEarlyAnswerOfAProcessThatStopsEndsNoConnection(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Link", "</a>")
		w.WriteHeader(http.StatusEarlyHints)
	}))
	t.Cleanup(srv.Close)
	a := testkit.New(t)
	res := a.Install(t, a.Admin(t, "root").Access, "plugin",
		testkit.PluginArchive(t, testkit.ExternalManifest("early", srv.URL), nil))
	if res.Status != http.StatusCreated {
		t.Fatalf("install: %d %s", res.Status, res.Body)
	}
	a.StopAccepting()
	const path = "/api/v1/shop/plugins/early/api/x"

	c, err := net.Dial("tcp", strings.TrimPrefix(a.URL, "http://")) // net/http hides the header
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, _ = fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", path, strings.TrimPrefix(a.URL, "http://"))
	answers, err := io.ReadAll(c)
	if err != nil {
		t.Fatal(err)
	}
	early, last, _ := strings.Cut(string(answers), "\r\n\r\n")
	if !strings.Contains(early, " 103 ") || strings.Contains(early, "Connection:") || !strings.Contains(last, "Connection: close") {
		t.Errorf("HTTP/1.1: %s", answers)
	}

	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	client := &http.Transport{Protocols: protocols}
	defer client.CloseIdleConnections()
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
		Got1xxResponse: func(_ int, header textproto.MIMEHeader) error {
			if header.Get("Link") == "" || header.Get("Connection") != "" {
				t.Errorf("HTTP/2: %v", header)
			}
			return nil
		},
	})
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, a.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := client.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
}
