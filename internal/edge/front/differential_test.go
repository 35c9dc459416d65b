package front_test

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/textproto"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// echo records what a handler sees of a request, and then follows the instructions in its query.
func echo(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Date", "today")
	host, target := r.Host, r.URL
	var seen strings.Builder
	fmt.Fprintf(&seen, "%s %s %s %s %d.%d %v\n", r.Method, host, r.RequestURI, r.Proto, r.ProtoMajor, r.ProtoMinor, r.Close)
	fmt.Fprintf(&seen, "%#v\n", *target)
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		fmt.Fprintf(&seen, "%s: %q\n", name, r.Header[name])
	}
	fmt.Fprintf(&seen, "%d %v %v %v %v\n", r.ContentLength, r.TransferEncoding, r.Trailer, r.Body == http.NoBody, r.TLS)
	local, _ := r.Context().Value(http.LocalAddrContextKey).(fmt.Stringer)
	fmt.Fprintf(&seen, "%v %v\n", local != nil, strings.HasPrefix(r.RemoteAddr, "127.0.0.1:"))
	act(w, r, r.URL.Query()["do"], &seen)
}

// act follows the instructions of a query.
func act(w http.ResponseWriter, r *http.Request, do []string, seen *strings.Builder) {
	rc := http.NewResponseController(w)
	for _, what := range do {
		name, value, _ := strings.Cut(what, ":")
		var err error
		switch name {
		case "read":
			var body []byte
			body, err = io.ReadAll(r.Body)
			fmt.Fprintf(seen, "%q\n", body)
		case "some":
			_, err = io.ReadFull(r.Body, make([]byte, 2))
		case "close":
			err = r.Body.Close()
		case "duplex":
			// And read it all: net/http panics if it must read the rest of the body in this case.
			err = rc.EnableFullDuplex()
			_, _ = io.WriteString(w, "early")
			_ = rc.Flush()
			_, _ = io.Copy(io.Discard, r.Body)
		case "status":
			status := 0
			_, _ = fmt.Sscan(value, &status)
			w.WriteHeader(status)
		case "set":
			field, text, _ := strings.Cut(value, "=")
			w.Header()[textproto.CanonicalMIMEHeaderKey(field)] = []string{text}
		case "add":
			field, text, _ := strings.Cut(value, "=")
			w.Header().Add(field, text)
		case "none":
			w.Header()[value] = nil
		case "write":
			_, err = io.WriteString(w, value)
		case "long":
			_, err = w.Write([]byte(strings.Repeat("0123456789", 700)))
		case "longer":
			_, err = w.Write([]byte(strings.Repeat("0123456789", 2000)))
		case "flush":
			err = rc.Flush()
		case "limit":
			err = rc.SetWriteDeadline(time.Now().Add(time.Minute))
		case "seen":
			_, err = io.WriteString(w, seen.String())
		case "panic":
			panic(http.ErrAbortHandler)
		}
		fmt.Fprintf(seen, "%s: %v\n", name, err)
	}
}

var steps = []string{
	"read", "some", "close", "duplex", "status:200", "status:404", "status:204", "status:304", "status:103", "status:299",
	"set:Content-Length=5", "set:Content-Length=x", "set:Content-Type=text/plain", "set:Content-Encoding=gzip",
	"set:Connection=close", "set:Connection=x, close", "set:X-A=a%0d%0ab", "set:Bad name=a", "add:X-B=1", "add:X-B=2",
	"set:Trailer=X-Sum, Content-Length", "set:X-Sum=1", "set:Trailer:X-Late=2",
	"set:Transfer-Encoding=identity", "set:Transfer-Encoding=chunked", "none:Content-Type", "none:Date",
	"write:hello", "write:<html>", "write:", "long", "longer", "flush", "limit", "seen", "seen", "panic",
}

var fields = []string{
	"Accept: */*", "accept-LANGUAGE:  de, en \t", "X-Empty:", "X-A: 1", "X-A: 2", "x_a: 3", "Cookie: a=b; c=d",
	"X-Bytes: \xff\xfe", "Connection: keep-alive", "Connection: Close", "Connection: close, X-A", "Connection: Upgrade",
	"Upgrade: h2c", "Pragma: no-cache", "Expect: 100-continue", "Te: trailers", "Trailer: X", "Host: other", "Content-Length: 5",
	"Content-Length: 5", "Content-Length: 05", "Content-Length: +5", "Content-Length: 5, 5", "Content-Length: 0",
	"Transfer-Encoding: chunked", "X-Nul: a\x00b", "X-Cr: a\rb", "X-Tab: a\tb", " folded", "No colon", "Blank : a", ": nameless",
	"X-Del: \x7f", "K\u00e4se: 1", "If-None-Match: *", "Origin: null", "Proxy-Connection: keep-alive",
}

var targets = []string{
	"/api/x/", "/api/x/a/b", "/api/x/%2F..%2e//a", "/api/x/../y", "/api/x/a b", "/api/x/\xff", "/api/x/%zz", "/api/x/a#b",
	"/api/x/a;b=c,d@e:f&g", "/api/x/[a]|^`{}", "/api/x/%41", "/other/a", "http://x/api/x/a", "*", "/api/x", "//api/x/a",
}

// request draws a request with what a handler does.
func request(t *rapid.T) string {
	var b strings.Builder
	b.WriteString(rapid.SampledFrom([]string{
		"GET", "GET", "POST", "POST", "HEAD", "PUT", "OPTIONS", "get", "M-SEARCH", "G\u00c4T", "",
	}).Draw(t, "method"))
	b.WriteString(" " + rapid.SampledFrom(targets).Draw(t, "target"))
	for i, do := range rapid.SliceOfN(rapid.SampledFrom(steps), 0, 7).Draw(t, "steps") {
		b.WriteString([]string{"?", "&"}[min(i, 1)] + "do=" + strings.NewReplacer(" ", "+", "<", "%3C", ";", "%3B").Replace(do))
	}
	end := rapid.SampledFrom([]string{"\r\n", "\r\n", "\r\n", "\r\n", "\r\n", "\n"}).Draw(t, "end")
	b.WriteString(rapid.SampledFrom([]string{" HTTP/1.1", " HTTP/1.1", " HTTP/1.1", " HTTP/1.0", "  HTTP/1.1", " HTTP/1.2", ""}).
		Draw(t, "version") + end)
	if rapid.IntRange(0, 19).Draw(t, "hostless") > 0 {
		b.WriteString("Host: x" + end)
	}
	for _, field := range rapid.SliceOfN(rapid.SampledFrom(fields), 0, 4).Draw(t, "fields") {
		b.WriteString(field + end)
	}
	b.WriteString(end)
	b.WriteString(rapid.SampledFrom([]string{"", "", "hello", "hello", "hello\r\n", "5\r\nhello\r\n0\r\n\r\n", "he", "\r\n"}).
		Draw(t, "body"))
	return b.String()
}

// examples are requests whose differences generated requests find only sometimes.
var examples = []string{
	"POST /api/x/ HTTP/1.1\r\nHost: x\r\n\r\n\r\n",
	"POST /api/x/?do=read&do=seen HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello\r\n\r\n",
	"GET /api/x/?do=read&do=seen HTTP/1.1\r\nHost: x\r\n\r\n\r\n",
	"POST /other?do=read HTTP/1.1\r\nHost: x\r\n" + behind + "Content-Length: 5\r\n\r\nhello\r\n",
	"POST /api/x/?do=close&do=read&do=seen HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello",
	"POST /api/x/?do=read&do=close&do=read&do=seen HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello",
	"POST /api/x/?do=some&do=duplex&do=flush&do=read&do=seen HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello",
	"POST /api/x/?do=some&do=flush&do=read&do=seen HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello",
	"HEAD /api/x/?do=write:hello HTTP/1.1\r\nHost: x\r\n\r\n",
	"GET /api/x/?do=set:Content-Length=5&do=write:hel HTTP/1.1\r\nHost: x\r\n\r\n",
	"GET /api/x/?do=set:Content-Length=5&do=write:hello&do=write:hello&do=seen HTTP/1.1\r\nHost: x\r\n\r\n",
	"GET /api/x/?do=status:204&do=write:hello HTTP/1.1\r\nHost: x\r\n\r\n",
	"GET /api/x/?do=set:Content-Type=a/b&do=status:304 HTTP/1.1\r\nHost: x\r\n\r\n",
	"GET /api/x/?do=set:Trailer=X-Sum&do=long&do=set:X-Sum=1&do=set:Trailer:X-Late=2 HTTP/1.1\r\nHost: x\r\n\r\n",
	"GET /api/x/?do=set:Trailer:X-Late=2&do=write:a HTTP/1.1\r\nHost: x\r\n\r\n",
	"GET /api/x/?do=set:Connection=close&do=write:a HTTP/1.1\r\nHost: x\r\n\r\n",
	"GET /api/x/?do=write:part&do=panic HTTP/1.1\r\nHost: x\r\n\r\n",
	"GET /api/x/?do=long&do=panic HTTP/1.1\r\nHost: x\r\n\r\n",
	"GET /api/x/?do=longer&do=long&do=longer HTTP/1.1\r\nHost: x\r\n\r\n",
	"GET /api/x/?do=set:Content-Length=20000&do=longer HTTP/1.1\r\nHost: x\r\n\r\n",
	"GET /api/x/?do=set:Content-Length=14000&do=long&do=long HTTP/1.1\r\nHost: x\r\n\r\n",
	"GET /api/x/?do=none:Date&do=none:Content-Type&do=write:a HTTP/1.1\r\nHost: x\r\n\r\n",
}

func TestAFrontAnswersTheExamplesAsNetHTTPDoes(t *testing.T) {
	t.Parallel()

	fronted, bare := newServer(t, true, http.HandlerFunc(echo)), newServer(t, false, http.HandlerFunc(echo))
	for _, sent := range examples {
		sent += last
		if got, want := sorted(fronted.talk(t, sent)), sorted(bare.talk(t, sent)); got != want {
			t.Errorf("sent %q\ngot  %q\nwant %q", sent, got, want)
		}
	}
}

// last ends a connection.
const last = "GET /api/x/last?do=seen HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

// For any request and any handler: with a Front the handler sees the same
// requests, and the client gets the same answers, as without one.
func TestAFrontAnswersAsNetHTTPDoes(t *testing.T) {
	t.Parallel()

	fronted, bare := newServer(t, true, http.HandlerFunc(echo)), newServer(t, false, http.HandlerFunc(echo))
	total := 0
	rapid.Check(t, func(rt *rapid.T) {
		sent := ""
		for range rapid.IntRange(1, 3).Draw(rt, "requests") {
			sent += request(rt)
			total++
		}
		sent += last
		got, want := sorted(fronted.talk(t, sent)), sorted(bare.talk(t, sent))
		if got != want {
			rt.Errorf("sent %q\ngot  %q\nwant %q", sent, got, want)
		}
	})
	if served := total - int(fronted.passed.Load()); served < total/10 {
		t.Errorf("the Front served %d of %d requests itself: the test compares little", served, total)
	}
}
