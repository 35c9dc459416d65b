package external

import (
	"log/slog"
	"net/http"
	"net/http/httputil"

	"stoa/internal/runtime"
)

// upgrade passes on a request to switch protocols (WebSocket) and, if the plugin
// agrees, the bytes of both sides until one ends. An error means that nothing
// was written.
func (rt *Runtime) upgrade(c *call, out *http.Request) error {
	var failed error
	proxy := &httputil.ReverseProxy{
		Transport: rt.transport,
		Rewrite: func(p *httputil.ProxyRequest) {
			// As the gateway made it: ReverseProxy cleans more than hop-by-hop headers.
			header, clean := p.In.Header.Clone(), p.Out.Header
			for _, name := range hopByHop {
				delete(header, name)
			}
			header.Set("Connection", "Upgrade")
			header.Set("Upgrade", clean.Get("Upgrade"))
			p.Out.Header = header
			p.Out.URL.RawQuery, p.Out.Host = p.In.URL.RawQuery, p.In.Host
		},
		ModifyResponse: func(res *http.Response) error {
			c.watch.Stop()
			runtime.Withhold(res.Header)
			return nil
		},
		ErrorHandler:  func(_ http.ResponseWriter, _ *http.Request, err error) { failed = err },
		FlushInterval: -1,
		ErrorLog:      slog.NewLogLogger(rt.log.Handler(), slog.LevelDebug),
	}
	proxy.ServeHTTP(c.w, out)
	return failed
}
