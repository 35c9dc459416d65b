//go:build !race

// The race detector makes pools drop items, so allocation counts mean nothing.

package gateway_test

import (
	"bytes"
	"net"
	"net/http"
	"runtime"
	"testing"
	"time"

	"stoa/internal/extension/plugin"
	"stoa/internal/run/gateway"
)

// quietPlugin answers every request with the same bytes, and allocates nothing for it.
func quietPlugin(tb testing.TB) string {
	tb.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = ln.Close() })
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				buf, n := make([]byte, 16<<10), 0
				answer := []byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 11\r\n\r\n{\"ok\":true}")
				for {
					m, err := conn.Read(buf[n:])
					if n += m; err != nil {
						return
					}
					if bytes.HasSuffix(buf[:n], []byte("\r\n\r\n")) {
						n = 0
						if _, err := conn.Write(answer); err != nil {
							return
						}
					}
				}
			}()
		}
	}()
	return "http://" + ln.Addr().String()
}

// nowhere is an http.ResponseWriter for many answers.
type nowhere struct {
	header http.Header
	status int
}

func (w *nowhere) Header() http.Header              { return w.header }
func (w *nowhere) WriteHeader(status int)           { w.status = status }
func (w *nowhere) Write(p []byte) (int, error)      { return len(p), nil }
func (w *nowhere) SetWriteDeadline(time.Time) error { return nil }
func (w *nowhere) FlushError() error                { return nil }

// calls returns a function that makes one call from the server's handler on.
func calls(tb testing.TB) func() {
	tb.Helper()
	k := newKit(tb)
	k.finder.change(func(in *plugin.Installed) { in.Package.Manifest.ExternalBaseURL = quietPlugin(tb) })
	w := &nowhere{header: http.Header{}}
	r, err := http.NewRequestWithContext(tb.Context(), http.MethodGet, "http://shop.example/api/x", nil)
	if err != nil {
		tb.Fatal(err)
	}
	r.Header = http.Header{
		"User-Agent": {"x"}, "Accept": {"*/*"}, "Accept-Language": {"de-CH,de;q=0.9,en;q=0.8"}, "Cookie": {"a=b"},
	}
	return func() {
		clear(w.header)
		err := k.Serve(w, r, gateway.Call{Slug: "pay", Path: "/api/x", Caller: gateway.CallerShop})
		if err != nil || w.status != http.StatusOK {
			tb.Fatal(w.status, err)
		}
	}
}

// Each byte that a call allocates is work for the garbage collector. The server in front is
// not counted.
func TestACallAllocatesLittle(t *testing.T) { // not parallel: others allocate, too
	call := calls(t)
	for range 100 { // fills pools and caches
		call()
	}
	const n = 1000
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range n {
		call()
	}
	runtime.ReadMemStats(&after)
	// A call takes a third of this.
	if each := (after.TotalAlloc - before.TotalAlloc) / n; each > 1<<10 {
		t.Errorf("%d bytes a call, want at most 1 KiB", each)
	}
	if each := (after.Mallocs - before.Mallocs) / n; each > 16 {
		t.Errorf("%d allocations a call, want at most 16", each)
	}
}

// BenchmarkCall is a call from the server's handler on, without the server.
func BenchmarkCall(b *testing.B) {
	call := calls(b)
	b.ReportAllocs()
	for b.Loop() {
		call()
	}
}
