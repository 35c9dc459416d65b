package proof

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
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
		changer, halted, admin := c.processes[0], c.processes[1], c.people(t).admin
		path := installHalted(t, changer, admin)
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
				waittest.Until(t, fmt.Sprintf("the change to enabled %t", !on), func() error {
					if got := waiting[i].status(t); got != statusOf(!on) {
						return fmt.Errorf("a call is answered %d", got)
					}
					return nil
				})
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
// request that ended the session was answered: a logout, a change of the password, a deactivation. Another
// one was killed and cannot say what it remembers.
func TestAHaltedProcessAcceptsNoEndedSession(t *testing.T) {
	t.Parallel()
	needtest.Long(t, "it halts processes")

	for _, engine := range []string{sqlite, postgres} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			c := newCluster(t, engine, 3)
			admin := c.people(t).admin
			installHalted(t, c.processes[0], admin)
			for round := range max(3, amount(t, 9)) {
				// On SQLite one of them remembers sessions: each is halted once for each way to end one.
				ender, halted, killed := c.processes[round%3], c.processes[(round+1)%3], c.processes[(round+2)%3]
				u := newHaltedUser(t, ender, fmt.Sprintf("halted-%d", round))
				c.endWhileHalted(t, ender, halted, killed, u.token, u.endings(ender, admin)[(round+round/3)%3])
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

// haltedUser is somebody with two sessions.
type haltedUser struct{ name, token, other string }

func newHaltedUser(t *testing.T, p *process, name string) haltedUser {
	t.Helper()
	who := map[string]string{"email": name + "@example.com", "username": name, "password": adminPassword}
	return haltedUser{name, p.signIn(t, "/auth/register", who), p.signIn(t, "/auth/login", who)}
}

// endings are requests to p that end the user's first session.
func (u haltedUser) endings(p *process, admin string) []func(t *testing.T) {
	insist := func(t *testing.T, method, path, token string, body any) (a answer) {
		t.Helper()
		a, err := p.call(t.Context(), method, path, bearer(token), body)
		if err != nil || a.status != http.StatusOK {
			t.Fatalf("%s: %d %s, %v", path, a.status, a.body, err)
		}
		return a
	}
	return []func(t *testing.T){
		func(t *testing.T) { insist(t, http.MethodPost, "/auth/logout", u.token, nil) },
		func(t *testing.T) {
			insist(t, http.MethodPost, "/auth/change-password", u.other,
				map[string]string{"currentPassword": adminPassword, "newPassword": "another " + adminPassword})
		},
		func(t *testing.T) {
			var me struct{ Data struct{ ID string } }
			if err := json.Unmarshal(insist(t, http.MethodGet, "/auth/me", u.other, nil).body, &me); err != nil {
				t.Fatal(err)
			}
			insist(t, http.MethodPatch, "/api/v1/admin/users/"+me.Data.ID, admin, map[string]any{"active": false})
		},
	}
}

// endWhileHalted calls end while a process is halted and another one was killed. All of them remember the
// session with this token, if they may.
func (c *cluster) endWhileHalted(t *testing.T, ender, halted, killed *process, token string, end func(*testing.T)) {
	t.Helper()
	paths := []string{"/auth/me", haltedCall}
	var remembered, waiting []*waitingCall
	for _, path := range paths {
		for _, p := range []*process{ender, halted, killed} {
			remembered = append(remembered, newWaitingCall(t, p, path, token))
		}
	}
	for range 200 { // until whoever may remembers
		for _, w := range remembered {
			w.want(t, http.StatusOK)
		}
	}
	for i := range haltedCalls {
		w := newWaitingCall(t, halted, paths[i%2], token)
		w.want(t, http.StatusOK) // a connection without a first request is closed after ten seconds
		waiting = append(waiting, w)
	}
	killed.kill()
	c.halt(t, halted)
	end(t)
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
	for _, path := range paths {
		if got := newWaitingCall(t, ender, path, token).status(t); got != http.StatusUnauthorized {
			t.Errorf("%s of the process that ended the session: %d, want 401", path, got)
		}
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
func installHalted(tb testing.TB, p *process, admin string) string {
	tb.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "here")
	}))
	tb.Cleanup(srv.Close)
	archive := ziptest.Plugin(tb, map[string]any{
		"schemaVersion": 1, "slug": "halted", "name": "Halted", "version": "1.0.0",
		"runtimeType": "external-http", "externalBaseUrl": srv.URL,
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

func (w *waitingCall) want(tb testing.TB, status int) {
	tb.Helper()
	if got := w.status(tb); got != status {
		tb.Fatalf("before: %d, want %d", got, status)
	}
}

func (w *waitingCall) status(tb testing.TB) int {
	tb.Helper()
	w.send(tb)
	return w.read(tb)
}
