package proof

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"stoa/internal/testkit/needtest"
	"stoa/internal/testkit/waittest"
	"stoa/internal/testkit/ziptest"
)

const (
	haltedAPI  = "/api/v1/admin/plugins/halted/instances"
	haltedCall = "/api/v1/shop/plugins/halted/api/x"

	// haltedFor is how long a process is halted after a change by another: longer than the
	// second within which a change holds everywhere.
	haltedFor   = 1200 * time.Millisecond
	haltedCalls = 8 // that wait when it goes on
)

// A process that was halted (SIGSTOP) while another one changed an instance knows of the
// change in the first answer that it gives after it goes on. Requests wait in its sockets
// already, so they race with whatever looks for changes.
func TestAHaltedProcessDoesNotAnswerFromThePast(t *testing.T) {
	t.Parallel()
	needtest.Long(t, "it halts processes until their leases end")

	onBothEngines(t, func(t *testing.T, c *cluster) {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "here")
		}))
		defer srv.Close()
		changer, halted, admin := c.processes[0], c.processes[1], c.people(t).admin
		path := installHalted(t, changer, admin, srv.URL)
		enable := func(on bool) {
			t.Helper()
			a, err := changer.call(t.Context(), http.MethodPatch, path, bearer(admin), map[string]any{"enabled": on})
			if err != nil || a.status != http.StatusOK {
				t.Fatalf("enabled %t: %d %s, %v", on, a.status, a.body, err)
			}
		}
		for round := range amount(t, 3) {
			on := round%2 == 1
			enable(!on)
			waiting := make([]*waitingCall, haltedCalls)
			for i := range waiting {
				waiting[i] = newWaitingCall(t, halted, haltedCall, "")
				for end := time.Now().Add(time.Minute); waiting[i].status(t) != statusOf(!on); {
					if time.Now().After(end) {
						t.Fatalf("the change to enabled %t does not hold", !on)
					}
				}
			}
			c.halt(t, halted)
			enable(on)
			<-time.After(haltedFor)
			for _, w := range waiting {
				w.send(t)
			}
			if err := halted.cmd.Process.Signal(syscall.SIGCONT); err != nil {
				t.Fatal(err)
			}
			for i, w := range waiting {
				if got := w.read(t); got != statusOf(on) {
					t.Errorf("round %d, call %d: %d, want %d: the answer is from the past", round, i, got, statusOf(on))
				}
			}
		}
	})
}

// A process that was halted accepts no session that ended meanwhile, though it goes on as soon as the
// request that ended the session was answered. Another one was killed and cannot say what it remembers.
func TestAHaltedProcessAcceptsNoEndedSession(t *testing.T) {
	t.Parallel()
	needtest.Long(t, "it halts processes")

	for _, engine := range []string{sqlite, postgres} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			c := newCluster(t, engine, 3)
			c.people(t)
			for round := range amount(t, 6) {
				// On SQLite one of them remembers sessions: each is halted once.
				ender, halted, killed := c.processes[round%3], c.processes[(round+1)%3], c.processes[(round+2)%3]
				c.endWhileHalted(t, ender, halted, killed)
				if err := killed.start(); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// halt halts a process (SIGSTOP), on SQLite while it does not hold the lock without which nobody can write.
func (c *cluster) halt(t *testing.T, p *process) {
	t.Helper()
	waittest.Until(t, "a process that is halted without the lock", func() error {
		if err := p.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		if c.engine == postgres {
			return nil
		}
		err := c.canWrite(t)
		if err != nil {
			err = errors.Join(err, p.cmd.Process.Signal(syscall.SIGCONT))
		}
		return err
	})
}

// canWrite returns an error if somebody holds the lock of the database for a second.
func (c *cluster) canWrite(t *testing.T) (err error) {
	t.Helper()
	conn, err := c.db.Conn(t.Context())
	if err != nil {
		return err
	}
	exec := func(statement string) error {
		_, err := conn.ExecContext(t.Context(), statement)
		return err
	}
	defer func() { err = errors.Join(err, exec(`PRAGMA busy_timeout = 10000`), conn.Close()) }()
	if err := exec(`PRAGMA busy_timeout = 1000`); err != nil {
		return err
	}
	if err := exec(`BEGIN IMMEDIATE`); err != nil {
		return err
	}
	return exec(`ROLLBACK`)
}

func (c *cluster) endWhileHalted(t *testing.T, ender, halted, killed *process) {
	t.Helper()
	token := ender.signIn(t, "/auth/login", map[string]string{"email": "owner@example.com", "password": adminPassword})
	waiting := make([]*waitingCall, haltedCalls)
	for i := range waiting {
		waiting[i] = newWaitingCall(t, halted, "/auth/me", token)
	}
	remembered := []*waitingCall{
		newWaitingCall(t, ender, "/auth/me", token), newWaitingCall(t, killed, "/auth/me", token), waiting[0],
	}
	for range 200 { // until whoever may remembers
		for _, w := range remembered {
			if got := w.status(t); got != http.StatusOK {
				t.Fatalf("before: %d", got)
			}
		}
	}
	killed.kill()
	c.halt(t, halted)
	a, err := ender.call(t.Context(), http.MethodPost, "/auth/logout", bearer(token), nil)
	if err != nil || a.status != http.StatusOK {
		t.Fatalf("logout: %d %s, %v", a.status, a.body, err)
	}
	for _, w := range waiting {
		w.send(t)
	}
	if err := halted.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	for i, w := range waiting {
		if got := w.read(t); got != http.StatusUnauthorized {
			t.Errorf("call %d of the halted process: %d, want 401", i, got)
		}
	}
	if got := remembered[0].status(t); got != http.StatusUnauthorized {
		t.Errorf("the process that ended the session: %d, want 401", got)
	}
}

// statusOf is what calls of an instance answer that is enabled or not.
func statusOf(enabled bool) int {
	if enabled {
		return http.StatusOK
	}
	return http.StatusNotFound
}

// installHalted installs the plugin and returns the path of its default instance.
func installHalted(tb testing.TB, p *process, admin, base string) string {
	tb.Helper()
	archive := ziptest.Plugin(tb, map[string]any{
		"schemaVersion": 1, "slug": "halted", "name": "Halted", "version": "1.0.0",
		"runtimeType": "external-http", "externalBaseUrl": base,
	}, nil)
	s := &shelf{c: &cluster{processes: []*process{p}}, admin: admin}
	a, err := s.send(tb.Context(), http.MethodPost, "/api/v1/admin/extensions/plugin/install", archive)
	var installed struct {
		Data struct {
			DefaultInstance struct{ InstallationID string }
		}
	}
	if err != nil || a.status != http.StatusCreated || json.Unmarshal(a.body, &installed) != nil {
		tb.Fatalf("install: %v, %d %s", err, a.status, a.body)
	}
	return haltedAPI + "/" + installed.Data.DefaultInstance.InstallationID
}

// waitingCall is a connection to a process, on which a request can be sent while the
// process is halted.
type waitingCall struct {
	conn    net.Conn
	in      *bufio.Reader
	request string
}

// newWaitingCall is for a GET of a path, with a token unless that is empty.
func newWaitingCall(tb testing.TB, p *process, path, token string) *waitingCall {
	tb.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(p.URL(), "http://"))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(2 * time.Minute))
	request := "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n"
	if token != "" {
		request += "Authorization: Bearer " + token + "\r\n"
	}
	return &waitingCall{conn, bufio.NewReader(conn), request + "\r\n"}
}

func (w *waitingCall) send(tb testing.TB) {
	tb.Helper()
	if _, err := io.WriteString(w.conn, w.request); err != nil {
		tb.Fatal(err)
	}
}

func (w *waitingCall) read(tb testing.TB) int {
	tb.Helper()
	res, err := http.ReadResponse(w.in, nil)
	if err != nil {
		tb.Fatal(err)
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, res.Body)
	return res.StatusCode
}

func (w *waitingCall) status(tb testing.TB) int {
	tb.Helper()
	w.send(tb)
	return w.read(tb)
}
