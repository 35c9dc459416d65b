package gateway_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"testing"
)

// BenchmarkGateway compares a call through the gateway with the same call through
// a bare reverse proxy with a tuned transport. The plugin runs in this process.
func BenchmarkGateway(b *testing.B) {
	k := newKit(b)
	k.answer = func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"ok":true}`) }
	base, err := url.Parse(k.finder.list[0].Package.Manifest.ExternalBaseURL)
	if err != nil {
		b.Fatal(err)
	}
	bare := httptest.NewServer(&httputil.ReverseProxy{
		Transport: &http.Transport{MaxIdleConnsPerHost: 256, DisableCompression: true},
		Rewrite:   func(p *httputil.ProxyRequest) { p.SetURL(base) },
	})
	b.Cleanup(bare.Close)
	for name, addr := range map[string]string{"gateway": k.front.URL, "bare": bare.URL} {
		b.Run(name, func(b *testing.B) {
			client := &http.Transport{MaxIdleConnsPerHost: 256, DisableCompression: true}
			defer client.CloseIdleConnections()
			b.ReportAllocs()
			b.SetParallelism(16)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					r, err := http.NewRequestWithContext(b.Context(), http.MethodGet, addr+"/api/x", nil)
					if err != nil {
						b.Error(err)
						return
					}
					res, err := client.RoundTrip(r)
					if err != nil {
						b.Error(err)
						return
					}
					_, _ = io.Copy(io.Discard, res.Body)
					res.Body.Close()
				}
			})
		})
	}
}
