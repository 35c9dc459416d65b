package plugincall_test

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
	"testing"
	"time"

	"stoa/internal/account"
	"stoa/internal/testkit"
	"stoa/internal/testkit/waittest"
)

// innerLive is an internal plugin that echoes over WebSocket and sends events.
const innerLive = `
module.exports = async (app) => {
	app.get('/api/events', (request, reply) => {
		reply.hijack()
		reply.raw.writeHead(200, { 'content-type': 'text/event-stream' })
		reply.raw.write('data: ' + request.headers['x-user-role'] + '\n\n')
	})
	app.server.on('upgrade', (request, socket) => {
		socket.on('error', () => {})
		socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
		socket.pipe(socket)
	})
}`

// installLive installs the plugins outer and inner, which do the same. left
// receives a value when a call of outer ends.
func installLive(t *testing.T, app *testkit.App, admin string) (left <-chan struct{}) {
	t.Helper()
	ends := make(chan struct{}, 100)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() { ends <- struct{}{} }()
		if r.URL.Path == "/api/events" {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "data: %s\n\n", r.Header.Get("X-User-Role"))
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
			return
		}
		c, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer c.Close()
		fmt.Fprint(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
		_, _ = io.Copy(c, rw)
	}))
	t.Cleanup(srv.Close)
	for _, archive := range [][]byte{
		testkit.PluginArchive(t, testkit.ExternalManifest("outer", srv.URL), nil),
		testkit.PluginArchive(t, testkit.InternalManifest("inner", "index.js"), map[string]string{
			"index.js": innerLive,
		}),
	} {
		if res := app.Install(t, admin, "plugin", archive); res.Status != http.StatusCreated {
			t.Fatalf("install: %d %s", res.Status, res.Body)
		}
	}
	return ends
}

// live is a call that lasts.
type live struct {
	name string
	net.Conn

	br     *bufio.Reader
	socket bool
}

// openLive opens a socket and a stream of both plugins with a token, and returns
// when all of them are live.
func openLive(t *testing.T, app *testkit.App, token string) []*live {
	t.Helper()
	var all []*live
	for _, slug := range []string{"outer", "inner"} {
		for path, upgrade := range map[string]string{
			"socket": "Connection: Upgrade\r\nUpgrade: websocket\r\n", "events": "",
		} {
			c, err := net.Dial("tcp", strings.TrimPrefix(app.URL, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { c.Close() })
			_ = c.SetDeadline(time.Now().Add(2 * time.Minute))
			fmt.Fprintf(c,
				"GET /api/v1/admin/plugins/%s/api/%s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n%s\r\n",
				slug, path, token, upgrade)
			l := &live{name: slug + "/" + path, Conn: c, br: bufio.NewReader(c), socket: upgrade != ""}
			res, err := http.ReadResponse(l.br, nil)
			if err != nil {
				t.Fatalf("%s: %v", l.name, err)
			}
			if !l.socket {
				got := make([]byte, len("data: admin\n\n"))
				if _, err := io.ReadFull(res.Body, got); err != nil || string(got) != "data: admin\n\n" {
					t.Fatalf("%s = %d %q, %v", l.name, res.StatusCode, got, err)
				}
			} else if res.StatusCode != http.StatusSwitchingProtocols {
				t.Fatalf("%s = %d", l.name, res.StatusCode)
			} else {
				l.echo(t)
			}
			all = append(all, l)
		}
	}
	return all
}

func (l *live) echo(t *testing.T) {
	t.Helper()
	got := make([]byte, 5)
	if _, err := io.WriteString(l, "hello"); err != nil {
		t.Fatalf("%s: %v", l.name, err)
	}
	if _, err := io.ReadFull(l.br, got); err != nil || string(got) != "hello" {
		t.Fatalf("%s = %q, %v", l.name, got, err)
	}
}

// mustEnd waits for the end of the connection. An answer that is cut short must
// not look complete.
func (l *live) mustEnd(t *testing.T) {
	t.Helper()
	_ = l.SetReadDeadline(time.Now().Add(5 * time.Minute)) // of a busy machine
	rest, err := io.ReadAll(l.br)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("%s goes on", l.name)
	}
	if strings.Contains(string(rest), "0\r\n\r\n") {
		t.Errorf("%s was completed: %q", l.name, rest)
	}
}

// mustLast watches the connection for a while.
func (l *live) mustLast(t *testing.T, until time.Time) {
	t.Helper()
	_ = l.SetReadDeadline(until)
	if _, err := l.br.ReadByte(); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("%s ended: %v", l.name, err)
	}
	_ = l.SetDeadline(time.Now().Add(2 * time.Minute))
	if l.socket {
		l.echo(t)
	}
}

// A lasting call ends when its caller loses access, in whichever way; calls of
// others go on.
func TestLiveCallsEndWithTheirCallersAccess(t *testing.T) {
	t.Parallel()
	testkit.OnBothEngines(t, func(t *testing.T, app *testkit.App) {
		root := app.Admin(t, "root").Access
		left := installLive(t, app, root)
		others := openLive(t, app, root)
		do := func(token, method, path string, body any) {
			t.Helper()
			if res := app.Do(t, testkit.Request{
				Method: method, Path: path, Token: token, Body: body,
			}); res.Status >= 300 {
				t.Fatalf("%s %s = %d %s", method, path, res.Status, res.Body)
			}
		}
		lose := map[string]func(u testkit.Tokens){
			"logout": func(u testkit.Tokens) {
				do(u.Access, "POST", "/auth/logout", map[string]any{"refresh_token": u.Refresh})
			},
			"deactivation": func(u testkit.Tokens) {
				do(root, "PATCH", "/api/v1/admin/users/"+u.UserID, map[string]any{"active": false})
			},
			"demotion": func(u testkit.Tokens) {
				do(root, "PATCH", "/api/v1/admin/users/"+u.UserID, map[string]any{"role": "USER"})
			},
			"password": func(testkit.Tokens) {
				do(app.Login(t, "password").Access, "POST", "/auth/change-password",
					map[string]any{"currentPassword": testkit.Password, "newPassword": "another horse battery"})
			},
		}
		opened := map[string][]*live{}
		for name, how := range lose {
			u := app.Admin(t, name)
			opened[name] = openLive(t, app, u.Access)
			how(u)
		}
		for name, calls := range opened {
			t.Log(name)
			for _, l := range calls {
				l.mustEnd(t)
			}
			for range 2 { // the plugin sees the end, too
				waittest.Next(t, "the end of the plugin's side", left)
			}
		}
		until := time.Now().Add(2 * time.Second) // several checks
		for _, l := range others {
			l.mustLast(t, until)
		}
		app.Clock.Advance(account.AccessLife + time.Minute) // past every token's exp
		for _, l := range others {
			l.mustEnd(t)
		}
	})
}
