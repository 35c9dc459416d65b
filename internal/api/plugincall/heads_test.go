package plugincall_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// overHTTP2 sends a request of which every part is as the test says, and returns the status.
func (p *rawPlugin) overHTTP2(tb testing.TB, method, target string, lines ...string) (status string) {
	tb.Helper()
	c, err := net.Dial("tcp", p.host)
	if err != nil {
		tb.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(2 * time.Minute))
	var block bytes.Buffer
	to := hpack.NewEncoder(&block)
	fields := []string{":method", method, ":scheme", "http", ":authority", p.host, ":path", target}
	for pair := range slices.Chunk(append(fields, lines...), 2) {
		_ = to.WriteField(hpack.HeaderField{Name: pair[0], Value: pair[1]})
	}
	_, _ = io.WriteString(c, http2.ClientPreface)
	f := http2.NewFramer(c, c)
	f.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	_ = f.WriteSettings()
	_ = f.WriteHeaders(http2.HeadersFrameParam{
		StreamID: 1, BlockFragment: block.Bytes(), EndStream: true, EndHeaders: true,
	})
	for {
		frame, err := f.ReadFrame()
		if err != nil {
			tb.Fatalf("%q %q: %v", method, target, err)
		}
		switch frame := frame.(type) {
		case *http2.MetaHeadersFrame:
			return frame.PseudoValue("status")
		case *http2.RSTStreamFrame, *http2.GoAwayFrame:
			tb.Fatalf("%q %q: %v", method, target, frame)
		}
	}
}

// overHTTP1 is the same over HTTP/1.1.
func (p *rawPlugin) overHTTP1(tb testing.TB, lines ...string) (status string) {
	tb.Helper()
	sent := "GET " + rawPath + "/api/x HTTP/1.1\r\nHost: " + p.host + "\r\n"
	for pair := range slices.Chunk(lines, 2) {
		sent += pair[0] + ": " + pair[1] + "\r\n"
	}
	statuses, _ := p.attack(tb, sent+"\r\n"+strings.ReplaceAll(lastOne, "HOST", p.host), 2*time.Minute)
	if len(statuses) == 0 {
		tb.Fatal("no answer")
	}
	return statuses[0]
}

// With enough lines of its own a client could make a plugin's server cut off those of the platform.
func TestACallHasABoundedNumberOfHeaderLines(t *testing.T) {
	t.Parallel()
	p := newRawPlugin(t)
	ways := map[string]func(lines ...string) string{
		"HTTP/1.1": func(lines ...string) string { return p.overHTTP1(t, lines...) },
		// This one is served by net/http.
		"HTTP/1.1 with Pragma": func(lines ...string) string {
			return p.overHTTP1(t, append([]string{"pragma", "x"}, lines[2:]...)...)
		},
		"HTTP/2": func(lines ...string) string {
			return p.overHTTP2(t, "GET", rawPath+"/api/x", lines...)
		},
	}
	for name, send := range ways {
		for _, row := range []struct {
			lines  []string
			status string
		}{
			{slices.Repeat([]string{"a", "1"}, 256), "200"},
			{slices.Repeat([]string{"a", "1"}, 257), "413"},
			{slices.Repeat([]string{"a", "1"}, 999), "413"},
			{[]string{"a", "1", "a", strings.Repeat("1, ", 2_000) + "1"}, "200"}, // one line
		} {
			if got := send(row.lines...); got != row.status {
				t.Errorf("%s: %d lines = %s, want %s", name, len(row.lines)/2, got, row.status)
			}
		}
	}
}

// HTTP/2 has heads that cannot be sent over HTTP/1.1. A client that sends them must not be able to
// stop a plugin for all others, nor to make two requests of one.
func TestAHeadThatOnlyHTTP2HasReachesNoPlugin(t *testing.T) {
	t.Parallel()
	p := newRawPlugin(t)
	for name, head := range map[string]struct{ method, target, status string }{
		"a blank in the path":   {"GET", "/api/orders HTTP/1.1", "404"},
		"a blank in the query":  {"GET", "/api/x?a=b HTTP/1.1", "404"},
		"a blank in the method": {"GE T", "/api/x", "400"},
		"a colon in the method": {"GET:", "/api/x", "400"},
	} {
		for range 11 { // ten failures would open the circuit breaker
			if got := p.overHTTP2(t, head.method, rawPath+head.target); got != head.status {
				t.Errorf("%s = %s, want %s", name, got, head.status)
			}
		}
		if got := p.overHTTP2(t, "GET", rawPath+"/api/"+fmt.Sprint(len(name))); got != "200" {
			t.Errorf("after %s, a call = %s, want 200", name, got)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.IndexFunc(p.arrived, func(a string) bool { return !strings.HasPrefix(a, "GET /api/") }); i >= 0 {
		t.Errorf("the plugin got %q", p.arrived[i])
	}
	for _, problem := range p.problems {
		t.Errorf("the plugin got %s", problem)
	}
}
