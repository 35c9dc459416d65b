package proof

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

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
				waiting[i] = newWaitingCall(t, halted)
				for end := time.Now().Add(time.Minute); waiting[i].status(t) != statusOf(!on); {
					if time.Now().After(end) {
						t.Fatalf("the change to enabled %t does not hold", !on)
					}
				}
			}
			if err := halted.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
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
	conn net.Conn
	in   *bufio.Reader
}

func newWaitingCall(tb testing.TB, p *process) *waitingCall {
	tb.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(p.URL(), "http://"))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(2 * time.Minute))
	return &waitingCall{conn, bufio.NewReader(conn)}
}

func (w *waitingCall) send(tb testing.TB) {
	tb.Helper()
	if _, err := fmt.Fprintf(w.conn, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", haltedCall); err != nil {
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
