package front_test

import (
	"net/http"
	"strings"
	"testing"
)

// refusals are requests that a server answers with an error before any handler, with the
// status.
var refusals = map[string]string{
	"GET /api/x/a HTTP/1.1\r\n\r\n":                                                                         "400",
	"GET /api/x/a HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n":                                                   "400",
	"GET /api/x/a HTTP/1.1\r\nHost: x y\r\n\r\n":                                                            "400",
	"GET /api/x/a HTTP/1.1\r\nHost: x\r\nA b: c\r\n\r\n":                                                    "400",
	"GET /api/x/a HTTP/1.1\r\nHost: x\r\nA: \x00\r\n\r\n":                                                   "400",
	"GET /api/x/a HTTP/1.1\r\nHost: x\r\n: c\r\n\r\n":                                                       "400",
	"GET /api/x/%zz HTTP/1.1\r\nHost: x\r\n\r\n":                                                            "400",
	"GET  /api/x/a HTTP/1.1\r\nHost: x\r\n\r\n":                                                             "400",
	"G(T /api/x/a HTTP/1.1\r\nHost: x\r\n\r\n":                                                              "400",
	"GET /api/x/a\r\nHost: x\r\n\r\n":                                                                       "400",
	"POST /api/x/a HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n":                                       "400",
	"POST /api/x/a HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab":                 "400",
	"POST /api/x/a HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n": "400",
	"POST /api/x/a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n":                                  "501",
	"POST /api/x/a?do=read HTTP/1.1\r\nHost: x\r\nExpect: tea\r\n\r\n":                                      "417",
	"GET /api/x/a HTTP/1.1\r\nHost: x\r\nA: " + strings.Repeat("a", 100<<10) + "\r\n\r\n":                   "431",
	"GET /api/x/a HTTP/1.1\r\nHost: x\r\n" + strings.Repeat("A: b\r\n", 20<<10) + "\r\n":                    "431",
	"GET /api/x/a HTTP/2.0\r\nHost: x\r\n\r\n":                                                              "505",
	"GET /api/x/a HTTP/0.9\r\nHost: x\r\n\r\n":                                                              "505",
	// What handlers refuse: the body was not read, too large, or never came whole.
	"GET /api/x/a?do=status:408 HTTP/1.1\r\nHost: x\r\n\r\n":                          "408",
	"POST /api/x/a?do=status:413 HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc": "413",
	"POST /api/x/a?do=status:413&do=write:no HTTP/1.1\r\nHost: x\r\nContent-Length: 300000\r\n\r\n" +
		strings.Repeat("a", 300000): "413",
	"GET /api/x/a?do=status:421&do=write:no HTTP/1.1\r\nHost: y\r\n\r\n":             "421",
	"GET /api/x/a?do=set:Connection=close&do=status:400 HTTP/1.1\r\nHost: x\r\n\r\n": "400",
}

// Refusals have the same bytes with and without a Front: on a new connection, after a call,
// behind a call in one piece, and with something behind them.
func TestRefusalsAreThoseOfNetHTTP(t *testing.T) {
	t.Parallel()
	fronted, bare := newServer(t, true, http.HandlerFunc(echo)), newServer(t, false, http.HandlerFunc(echo))
	one := "GET /api/x/first?do=write:first HTTP/1.1\r\nHost: x\r\n\r\n"
	for refused, status := range refusals {
		for name, sent := range map[string]string{
			"alone": refused + last, "after a call": one + refused + last, "twice": one + refused + one + refused + last,
			"after net/http's": strings.Replace(one, "\r\n\r\n", "\r\n"+behind+"\r\n", 1) + refused + last,
			"after a body":     "POST /api/x/b HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi" + refused + last,
		} {
			got, want := sorted(fronted.talk(t, sent)), sorted(bare.talk(t, sent))
			short := refused[:min(len(refused), 120)]
			if !strings.Contains(want, "HTTP/1.1 "+status+" ") {
				t.Errorf("%s: %q: no %s in %q", name, short, status, want)
			}
			if got != want {
				t.Errorf("%s: sent %q\ngot  %q\nwant %q", name, short, got, want)
			}
		}
	}
}
