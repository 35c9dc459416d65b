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

// withholder is a ResponseWriter that knows what is allowed.
type withholder interface{ Withhold(h http.Header) }

var errUnasked = errors.New("the plugin switched protocols unasked")

// switchProtocols tells the client that the plugin agreed to switch protocols
// (WebSocket), and then passes the bytes of both sides on until one ends. res is
// the plugin's answer to out. An error means that nothing was written.
func switchProtocols(w http.ResponseWriter, out *http.Request, res *http.Response, log *slog.Logger) error {
	if upgradeType(out.Header) == "" {
		return errUnasked
	}
	if gate, ok := w.(withholder); ok {
		gate.Withhold(res.Header) // it never sees this header by itself
	} else {
		Withhold(res.Header, Allowed{})
	}
	var failed error
	// ReverseProxy knows how to take both connections over. What it would do before,
	// has been done: its request is already answered.
	proxy := &httputil.ReverseProxy{
		Transport:    answeredAlready{res},
		Rewrite:      func(*httputil.ProxyRequest) {},
		ErrorHandler: func(_ http.ResponseWriter, _ *http.Request, err error) { failed = err },
		ErrorLog:     slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	proxy.ServeHTTP(w, out)
	return failed
}

// answeredAlready is a transport that has the answer.
type answeredAlready struct{ res *http.Response }

// RoundTrip implements http.RoundTripper.
func (a answeredAlready) RoundTrip(*http.Request) (*http.Response, error) { return a.res, nil }
