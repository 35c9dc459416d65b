package plugincall_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"stoa/internal/testkit"
)

// h2c returns a client that speaks HTTP/2 without TLS, as proxies do.
func h2c(t *testing.T) *http.Transport {
	t.Helper()
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	client := &http.Transport{Protocols: protocols, DisableCompression: true}
	t.Cleanup(client.CloseIdleConnections)
	return client
}

// Calls over HTTP/2 reach plugins as those over HTTP/1.1 do: bodies, trailers,
// events when they happen, refusals, and the end of a client that leaves.
func TestCallsOverHTTP2(t *testing.T) {
	t.Parallel()
	left := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rc := http.NewResponseController(w)
		switch r.URL.Path {
		case "/api/echo":
			w.Header().Set("Trailer", "X-Sum")
			n, _ := io.Copy(w, r.Body)
			w.Header().Set("X-Sum", fmt.Sprint(n))
		case "/api/wait":
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "data: x\n\n")
			_ = rc.Flush()
			<-r.Context().Done()
			close(left)
		default:
			fmt.Fprint(w, r.Proto, " ", r.RequestURI)
		}
	}))
	t.Cleanup(srv.Close)
	a := testkit.New(t)
	admin := a.Admin(t, "root").Access
	res := a.Install(t, admin, "plugin", testkit.PluginArchive(t, testkit.ExternalManifest("two", srv.URL), nil))
	if res.Status != http.StatusCreated {
		t.Fatalf("install: %d %s", res.Status, res.Body)
	}
	client := h2c(t)
	do := func(ctx context.Context, method, target string, body io.Reader) *http.Response {
		t.Helper()
		r, err := http.NewRequestWithContext(ctx, method, a.URL+"/api/v1/shop/plugins/two"+target, body)
		if err != nil {
			t.Fatal(err)
		}
		res, err := client.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = res.Body.Close() })
		if res.ProtoMajor != 2 || res.Header.Get("X-Request-Id") == "" {
			t.Errorf("%s: answered over %s with %v", target, res.Proto, res.Header)
		}
		return res
	}
	text := func(res *http.Response) string {
		t.Helper()
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Error(err)
		}
		return string(body)
	}
	if got := text(do(t.Context(), "GET", "/api/a%2Fb/c?d=%2f", nil)); got != "HTTP/1.1 /api/a%2Fb/c?d=%2f" {
		t.Errorf("the plugin got %s", got)
	}
	for _, size := range []int{0, 100, 1 << 20, 5 << 20} {
		want := strings.Repeat("x", size)
		res := do(t.Context(), "POST", "/api/echo", bytes.NewReader([]byte(want)))
		if got := text(res); got != want || res.Trailer.Get("X-Sum") != fmt.Sprint(size) {
			t.Errorf("%d bytes came back as %d, with the trailer %v", size, len(got), res.Trailer)
		}
	}
	large := do(t.Context(), "POST", "/api/echo", bytes.NewReader(make([]byte, 10<<20+1)))
	if got := text(large); large.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("a body that is too large = %d %s", large.StatusCode, got)
	}
	ctx, leave := context.WithCancel(t.Context())
	event := make([]byte, 9)
	if _, err := io.ReadFull(do(ctx, "GET", "/api/wait", nil).Body, event); err != nil || string(event) != "data: x\n\n" {
		t.Errorf("event = %q, %v", event, err)
	}
	leave()
	select {
	case <-left:
	case <-time.After(2 * time.Minute):
		t.Error("the plugin's request was not canceled when the client left")
	}
}

// What begins like HTTP/2 and is not, is no way around the checks of HTTP/1.1.
func TestHalfAPrefaceIsNoWayAroundTheChecks(t *testing.T) {
	t.Parallel()
	p := newRawPlugin(t)
	both := post(sized(5)+isChunked, oneChunk+smuggled)
	for _, sent := range []string{
		"PRI * HTTP/2.0\r\n\r\n" + both, "PRI * HTTP/2.0\r\n\r\nSM\r\n" + both, "PRI * HTTP/1.1\r\n\r\nSM\r\n\r\n" + both,
		"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + both,
		post(sized(5), "hello") + "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + both,
	} {
		_, arrived := p.attack(t, strings.ReplaceAll(sent, "HOST", p.host), 2*time.Second)
		for _, what := range arrived {
			if strings.Contains(what, "smuggled") {
				t.Errorf("%q: arrived %q", sent, arrived)
			}
		}
	}
}
