package takeover_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"stoa/internal/account"
	"stoa/internal/base/reqctx"
	"stoa/internal/testkit"
)

const livePath = "/api/v1/shop/plugins/live/api/"

// installLive installs a plugin that sends events without end, and echoes over WebSocket. upgraded counts the sockets.
func (w *world) installLive(t *testing.T, admin string) (upgraded *atomic.Int32) {
	t.Helper()
	upgraded = new(atomic.Int32)
	srv := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/events" {
			rw.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(rw, "data: hello\n\n")
			_ = http.NewResponseController(rw).Flush()
			<-r.Context().Done()
			return
		}
		upgraded.Add(1)
		c, buffered, err := http.NewResponseController(rw).Hijack()
		if err != nil {
			return
		}
		defer c.Close()
		_, _ = io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
		_, _ = io.Copy(c, buffered)
	}))
	t.Cleanup(srv.Close)
	archive := testkit.PluginArchive(t, testkit.ExternalManifest("live", srv.URL), nil)
	if res := w.Install(t, admin, "plugin", archive); res.Status != http.StatusCreated {
		t.Fatalf("install = %d %s", res.Status, res.Body)
	}
	return upgraded
}

// held is a connection that somebody keeps to a plugin.
type held struct {
	net.Conn

	rest *bufio.Reader
}

// holds connects to the plugin with a token, as a WebSocket or for its events, and returns the answer.
func (w *world) holds(t *testing.T, token, path, upgrade string) (held, *http.Response) {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(w.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	fmt.Fprintf(c, "GET %s%s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n%s\r\n", livePath, path, token, upgrade)
	h := held{c, bufio.NewReader(c)}
	res, err := http.ReadResponse(h.rest, nil)
	if err != nil {
		t.Fatal(err)
	}
	return h, res
}

// socket is holds as a WebSocket.
func (w *world) socket(t *testing.T, token string) held {
	t.Helper()
	h, res := w.holds(t, token, "socket", "Connection: Upgrade\r\nUpgrade: websocket\r\n")
	if res.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("the socket: %d", res.StatusCode)
	}
	h.echoes(t)
	return h
}

func (h held) echoes(t *testing.T) {
	t.Helper()
	got := make([]byte, 5)
	if _, err := io.WriteString(h, "hello"); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(h.rest, got); err != nil || string(got) != "hello" {
		t.Fatalf("the socket says %q, %v", got, err)
	}
}

// ends ends the test unless the connection ends.
func (h held) ends(t *testing.T, what string) {
	t.Helper()
	_ = h.SetReadDeadline(time.Now().Add(time.Minute)) // of a busy machine
	if _, err := io.Copy(io.Discard, h.rest); errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("%s: it goes on", what)
	}
}

// T110, T111: a connection that is upgraded may carry anything, and what was opened before would outlive the half hour.
func TestWhatStaffHoldOpenAsAUserEndsWithIt(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		root, ada := w.Admin(t, "root"), w.Register(t, "ada")
		upgraded := w.installLive(t, root.Access)
		own := w.socket(t, ada.Access)
		reading, _ := w.seeing(t, root.Access, ada.UserID, false)
		before := upgraded.Load()
		for _, upgrade := range []string{
			"Connection: Upgrade\r\nUpgrade: websocket\r\n", "connection: keep-alive, upgrade\r\nUPGRADE: WebSocket\r\n",
			"Upgrade: websocket\r\n", "Connection: Upgrade\r\nUpgrade: h2c\r\n", "Connection: Upgrade\r\nUpgrade:\r\nUpgrade: websocket\r\n",
		} {
			_, res := w.holds(t, reading, "socket", upgrade)
			body, _ := io.ReadAll(io.LimitReader(res.Body, 1<<10))
			if res.StatusCode != http.StatusForbidden || !strings.Contains(string(body), "IMPERSONATION_READ_ONLY") {
				t.Errorf("%q: %d %s", upgrade, res.StatusCode, body)
			}
		}
		if got := upgraded.Load(); got != before {
			t.Errorf("the plugin got %d sockets of who may only read", got-before)
		}
		for what, end := range map[string]func(staff testkit.Tokens, token, id string){
			"staff end it": func(staff testkit.Tokens, _, id string) {
				w.remove(t, staff.Access, "/api/v1/admin/impersonations/"+id, http.StatusOK)
			},
			"its logout":       func(_ testkit.Tokens, token, _ string) { w.Do(t, testkit.Post(token, "/auth/logout", nil)) },
			"logout":           func(staff testkit.Tokens, _, _ string) { w.Do(t, testkit.Post(staff.Access, "/auth/logout", nil)) },
			"the user ends it": func(_ testkit.Tokens, _, id string) { w.remove(t, ada.Access, "/auth/sessions/"+id, http.StatusOK) },
			"demotion": func(staff testkit.Tokens, _, _ string) {
				if _, err := w.Accounts.UpdateUser(t.Context(), staff.UserID, account.UserChange{Role: reqctx.RoleUser}); err != nil {
					t.Fatal(err)
				}
			},
		} {
			w.heldUntil(t, what, ada.UserID, end)
			own.echoes(t)
		}
		// After the others, which need their sessions.
		w.heldUntil(t, "half an hour", ada.UserID, func(testkit.Tokens, string, string) { w.Clock.Advance(30 * time.Minute) })
	})
}

// heldUntil acts as a user, holds a socket and events open, and fails the test unless both end.
func (w *world) heldUntil(t *testing.T, what, userID string, end func(staff testkit.Tokens, token, id string)) {
	t.Helper()
	staff := w.Admin(t, "sam"+strings.ReplaceAll(what, " ", ""))
	token, id := w.seeing(t, staff.Access, userID, true)
	socket := w.socket(t, token)
	events, res := w.holds(t, token, "events", "")
	if res.StatusCode != http.StatusOK {
		t.Fatalf("%s: events = %d", what, res.StatusCode)
	}
	end(staff, token, id)
	socket.ends(t, what+", the socket")
	events.ends(t, what+", the events")
}
