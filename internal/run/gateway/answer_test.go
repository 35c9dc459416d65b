package gateway_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"strings"
	"testing"
)

func TestCookiesAndCORSStayInside(t *testing.T) {
	t.Parallel()

	k := newKit(t)
	k.answer = func(w http.ResponseWriter, _ *http.Request) {
		h := w.Header()
		h["set-cookie"] = []string{"a=1"} // in any spelling
		h.Add("Set-Cookie", "session=stolen")
		h.Set("Access-Control-Allow-Origin", "*")
		h.Set("access-control-allow-credentials", "true")
		h.Set("Alt-Svc", `h2="evil:443"`)
		for _, name := range []string{
			"X-Accel-Redirect", "X-Accel-Expires", "X-Sendfile", "Clear-Site-Data",
			"X-Sendfile2", "X-LiteSpeed-Location", "X-LiteSpeed-Purge", "X-Reproxy-URL", "Fly-Replay", "fly-replay-cache",
			"X-Envoy-Immediate-Health-Check-Fail", "X-Lighttpd-Send-Tempfile",
			"Accept-CH", "Set-Login", "Use-As-Dictionary", "Secure-Session-Registration",
			"Strict-Transport-Security", "Service-Worker-Allowed", "Nel", "Report-To", "Public-Key-Pins",
		} {
			h.Set(name, "/")
		}
		h.Set("X-Request-Id", "the plugin's own")
		h.Set("X-Platform-Token", "echoed")
		h.Set("Connection", "X-Hop")
		h.Set("X-Hop", "1")
		h.Set("X-Kept", "yes")
		h.Set("Trailer", "Set-Cookie, X-Sum")
		_, _ = io.WriteString(w, "hello")
		h.Set("X-Sum", "5")
		h.Set(http.TrailerPrefix+"Access-Control-Allow-Origin", "*")
		h.Set(http.TrailerPrefix+"X-Late", "1")
	}
	res := k.do(t, "GET", "/api/x", nil, nil)
	if body, err := io.ReadAll(res.Body); string(body) != "hello" || err != nil {
		t.Errorf("body = %q, %v", body, err)
	}
	for _, h := range []http.Header{res.Header, res.Trailer} {
		for _, name := range []string{
			"Set-Cookie", "Access-Control-Allow-Origin", "Access-Control-Allow-Credentials",
			"Alt-Svc", "X-Platform-Token", "X-Hop", "X-Sendfile2", "X-LiteSpeed-Location", "X-LiteSpeed-Purge",
			"X-Reproxy-URL", "Fly-Replay", "Fly-Replay-Cache", "X-Envoy-Immediate-Health-Check-Fail", "X-Lighttpd-Send-Tempfile",
			"X-Accel-Redirect", "X-Accel-Expires", "X-Sendfile",
			"Clear-Site-Data", "Strict-Transport-Security", "Service-Worker-Allowed", "Nel", "Report-To", "Public-Key-Pins",
			"Accept-CH", "Set-Login", "Use-As-Dictionary", "Secure-Session-Registration",
		} {
			if v := h.Values(name); len(v) > 0 {
				t.Errorf("%s = %q reached the client", name, v)
			}
		}
	}
	if v := res.Header["X-Request-Id"]; len(v) != 1 || v[0] != "req-1" {
		t.Errorf("X-Request-Id = %q, want the platform's alone", v)
	}
	if res.Header.Get("X-Kept") != "yes" || res.Trailer.Get("X-Sum") != "5" || res.Trailer.Get("X-Late") != "1" {
		t.Errorf("header %v, trailer %v", res.Header, res.Trailer)
	}
}

// A plugin's page must not act as the shop's: it gets an opaque origin. Which types browsers show
// as pages is theirs to decide and changes, so every answer gets the policy.
func TestAnswersOfPluginsAreSandboxedWhateverTheirType(t *testing.T) {
	t.Parallel()

	k := newKit(t)
	for _, contentType := range []string{
		"text/html", "Text/HTML; charset=utf-8", "image/svg+xml", "application/xhtml+xml", "text/xml", "text/xsl",
		"multipart/x-mixed-replace; boundary=a", "text/html;=", `text/plain; a="b, c"`, "application/json", "text/plain", "image/png",
		"text/event-stream", "application/octet-stream", "x/y", "",
	} {
		for _, own := range []string{"", "default-src 'self'"} {
			k.answer = func(w http.ResponseWriter, _ *http.Request) {
				w.Header()["Content-Type"] = []string{contentType}
				if contentType == "" {
					w.Header()["Content-Type"] = nil // net/http would guess one
				}
				if own != "" {
					w.Header().Set("Content-Security-Policy", own)
				}
				_, _ = io.WriteString(w, "<p>hello")
			}
			res := k.do(t, "GET", "/api/x", nil, nil)
			if res.StatusCode != http.StatusOK {
				t.Fatalf("%q: status %d", contentType, res.StatusCode)
			}
			policies := res.Header.Values("Content-Security-Policy")
			if own != "" && (len(policies) == 0 || policies[0] != own) {
				t.Errorf("%q: policies = %q, the plugin's own is lost", contentType, policies)
			}
			if len(policies) == 0 {
				t.Errorf("%q: no policy", contentType)
				continue
			}
			if ours := policies[len(policies)-1]; !strings.HasPrefix(ours, "sandbox allow-scripts") || strings.Contains(ours, "same-origin") {
				t.Errorf("%q: policies = %q", contentType, policies)
			}
		}
	}
}

// Of several types browsers take the last, and what no parser reads they guess: neither is passed on.
func TestAnswersWithoutOneReadableTypeAreMalformed(t *testing.T) {
	t.Parallel()

	for _, types := range [][]string{
		{"text/plain", "text/html"},
		{"image/png", "text/html"},
		{"application/json", "text/html"},
		{"text/html", "text/html"},
		{"text/plain", ""},
		{"", "text/html"},
		{"text/plain, text/html"},
		{"text/plain; charset=utf-8, text/html"},
		{"text/plain;, text/html"},
		{"nonsense"},
		{"text/"},
		{"/html"},
		{"text/html text/plain"},
		{"text\u00e4/html"},
		{";"},
	} {
		k := newKit(t) // a circuit breaker of its own
		k.answer = func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = types
			_, _ = io.WriteString(w, "<p>hello")
		}
		for _, method := range []string{"GET", "HEAD", "POST"} {
			if got := code(k.do(t, method, "/api/x", nil, nil)); got != "PLUGIN_UNREACHABLE" {
				t.Errorf("%s with types %q: %s, want PLUGIN_UNREACHABLE", method, types, got)
			}
		}
	}
}

// The type of a file that a visitor has brought is the visitor's choice: it must not open the breaker.
func TestUnusableTypesAreNoFailuresOfThePlugin(t *testing.T) {
	t.Parallel()

	k := newKit(t)
	k.answer = func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/file") {
			w.Header().Set("Content-Type", "nonsense")
		}
		_, _ = io.WriteString(w, "hello")
	}
	for range 20 {
		if got := code(k.do(t, "GET", "/api/file", nil, nil)); got != "PLUGIN_UNREACHABLE" {
			t.Fatalf("the file: %s", got)
		}
	}
	if res := k.do(t, "GET", "/api/x", nil, nil); res.StatusCode != http.StatusOK {
		t.Errorf("another call: %s", code(res))
	}
}

// A service worker of a plugin would sit between the shop and its buyers.
func TestScriptsOfServiceWorkersAreRefused(t *testing.T) {
	t.Parallel()

	k := newKit(t)
	k.answer = func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "self.onfetch = null") }
	res := k.do(t, "GET", "/api/sw.js", nil, http.Header{"Service-Worker": {"script"}})
	if got := code(res); got != "NOT_FOUND" {
		t.Errorf("answer = %s", got)
	}
}

func TestEarlyHintsPassFiltered(t *testing.T) {
	t.Parallel()

	k := newKit(t)
	k.answer = func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Link", "</style.css>; rel=preload")
		w.Header().Set("Set-Cookie", "a=1")
		w.WriteHeader(http.StatusEarlyHints)
		w.Header().Del("Link")
		w.WriteHeader(http.StatusOK)
	}
	var early textproto.MIMEHeader
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
		Got1xxResponse: func(status int, h textproto.MIMEHeader) error {
			if status == http.StatusEarlyHints {
				early = h
			}
			return nil
		},
	})
	r, _ := http.NewRequestWithContext(ctx, "GET", k.front.URL+"/api/x", nil)
	res, err := k.client.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if early.Get("Link") == "" || early.Get("Set-Cookie") != "" {
		t.Errorf("early = %v", early)
	}
	if res.StatusCode != 200 || res.Header.Get("Link") != "" || res.Header.Get("X-Request-Id") != "req-1" {
		t.Errorf("answer = %d %v", res.StatusCode, res.Header)
	}
}

// websocket is a plugin that switches protocols and echoes lines.
func websocket(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Upgrade") != "websocket" || r.Header.Get("Connection") != "Upgrade" {
		http.Error(w, "no upgrade asked for", http.StatusUpgradeRequired)
		return
	}
	c, rw, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer c.Close()
	fmt.Fprintf(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
		"Set-Cookie: a=1\r\nX-Seen: %s\r\nX-Request-Id: own\r\n\r\n", r.Header.Get("X-Installation-Id"))
	line, _ := rw.ReadString('\n')
	_, _ = io.WriteString(c, "echo "+line)
}

func TestWebSocketPasses(t *testing.T) {
	t.Parallel()

	k := newKit(t)
	k.answer = websocket
	c, err := net.Dial("tcp", k.front.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, _ = io.WriteString(c, "GET /api/live?installation=eu HTTP/1.1\r\nHost: shop\r\n"+
		"Connection: keep-alive, Upgrade\r\nUpgrade: WebSocket\r\nX-Installation-Key: forged\r\n\r\n")
	br := bufio.NewReader(c)
	res, err := http.ReadResponse(br, nil)
	if err != nil {
		t.Fatal(err)
	}
	if res.StatusCode != http.StatusSwitchingProtocols || res.Header.Get("X-Seen") != "id-eu" || len(res.Cookies()) > 0 {
		t.Fatalf("answer = %d %v", res.StatusCode, res.Header)
	}
	if ids := res.Header["X-Request-Id"]; len(ids) != 1 || ids[0] != "req-1" {
		t.Errorf("X-Request-Id = %q", ids)
	}
	_, _ = io.WriteString(c, "hello\n")
	if line, err := br.ReadString('\n'); line != "echo hello\n" || err != nil {
		t.Errorf("echo = %q, %v", line, err)
	}
}

// An upgrade to cleartext HTTP/2 would let the client bypass the gateway.
func TestOtherUpgradesDoNotPass(t *testing.T) {
	t.Parallel()

	for _, upgrade := range []string{"h2c", "TLS/1.0", "websocket, h2c", "websocket\r\nUpgrade: h2c"} {
		k := newKit(t)
		k.raw(t, "GET /api/x HTTP/1.1", "Host: shop",
			"Connection: Upgrade, HTTP2-Settings", "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA", "Upgrade: "+upgrade)
		h := k.next(t).Header
		if h.Get("Upgrade") != "" || h.Get("Connection") != "" || h.Get("Http2-Settings") != "" {
			t.Errorf("upgrade to %q reached the plugin: %v", upgrade, h)
		}
	}
}

func TestUnansweredCallsNameThePlugin(t *testing.T) {
	t.Parallel()

	k := newKit(t)
	k.answer = func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	res := k.do(t, "POST", "/api/x", strings.NewReader("x"), nil)
	if code(res) != "PLUGIN_UNREACHABLE" || res.Header.Get("X-Slug") != "pay" {
		t.Errorf("%s of %q", code(res), res.Header.Get("X-Slug"))
	}
}
