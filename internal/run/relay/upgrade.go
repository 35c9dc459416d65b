package relay

import (
	"errors"
	"log/slog"
	"net/http"
	"net/http/httputil"
	"strings"
)

// upgradeType returns the protocol that h asks to switch to, or "".
func upgradeType(h http.Header) string {
	for name := range ConnectionNames(h) {
		if strings.EqualFold(name, "Upgrade") {
			return h.Get("Upgrade")
		}
	}
	return ""
}

// withholder is a ResponseWriter that knows which headers the plugin may set.
type withholder interface{ Withhold(h http.Header) }

var errUnasked = errors.New("the plugin switched protocols without being asked")

// switchProtocols answers the client that the plugin agreed to switch protocols (WebSocket), and
// then copies bytes both ways until one side ends. res is the plugin's answer to out. An error
// means that nothing was written.
func switchProtocols(w http.ResponseWriter, out *http.Request, res *http.Response, log *slog.Logger) error {
	if upgradeType(out.Header) == "" {
		return errUnasked
	}
	if gate, ok := w.(withholder); ok {
		gate.Withhold(res.Header) // its WriteHeader never sees this header
	} else {
		Withhold(res.Header, Allowed{})
	}
	var failed error
	// ReverseProxy knows how to take over both connections. The request is already answered,
	// so it sends nothing.
	proxy := &httputil.ReverseProxy{
		Transport:    answeredAlready{res},
		Rewrite:      func(*httputil.ProxyRequest) {},
		ErrorHandler: func(_ http.ResponseWriter, _ *http.Request, err error) { failed = err },
		ErrorLog:     slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	proxy.ServeHTTP(w, out)
	return failed
}

// answeredAlready is a transport that has the answer already.
type answeredAlready struct{ res *http.Response }

// RoundTrip implements http.RoundTripper.
func (a answeredAlready) RoundTrip(*http.Request) (*http.Response, error) { return a.res, nil }
