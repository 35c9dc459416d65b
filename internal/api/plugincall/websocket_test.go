package plugincall_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"stoa/internal/testkit"
)

// installService installs a plugin whose service answers with h.
func installService(t *testing.T, app *testkit.App, slug string, h http.HandlerFunc) {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	res := app.Install(t, app.Admin(t, "root").Access, "plugin",
		testkit.PluginArchive(t, testkit.ExternalManifest(slug, srv.URL), nil))
	if res.Status != http.StatusCreated {
		t.Fatalf("install: %d %s", res.Status, res.Body)
	}
}

// An upgrade passes through all layers of the server, and so do bytes that are not HTTP, from those on that
// come with the request.
func TestWebSocketPassesThroughTheServer(t *testing.T) {
	t.Parallel()
	app := testkit.New(t)
	installService(t, app, "live", func(w http.ResponseWriter, r *http.Request) {
		c, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer c.Close()
		fmt.Fprintf(c,
			"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX-Role: %s\r\n\r\n",
			r.Header.Get("X-User-Role"))
		_, _ = io.Copy(c, rw)
	})
	c, err := net.Dial("tcp", strings.TrimPrefix(app.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprint(c,
		"GET /api/v1/shop/plugins/live/api/socket HTTP/1.1\r\nHost: localhost\r\n"+
			"Connection: Upgrade\r\nUpgrade: websocket\r\n\r\nfirst")
	br := bufio.NewReader(c)
	answer, err := http.ReadResponse(br, nil)
	if err != nil || answer.StatusCode != http.StatusSwitchingProtocols || answer.Header.Get("X-Role") != "guest" {
		t.Fatalf("answer = %v, %v", answer, err)
	}
	for i, message := range []string{
		"first",
		"\x81\x05hello", "POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", "\x00\xff",
	} {
		if i > 0 {
			_, _ = io.WriteString(c, message)
		}
		got := make([]byte, len(message))
		if _, err := io.ReadFull(br, got); err != nil || string(got) != message {
			t.Fatalf("echo = %q, %v; want %q", got, err, message)
		}
	}
}
