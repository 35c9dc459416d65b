package httpapi_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"stoa/internal/edge/framing"
	"stoa/internal/edge/front"
	"stoa/internal/testkit"
)

// twins are two servers of one stoa: net/http's with the loop in front of it, and without.
type twins struct {
	fronted, bare string
	// passed counts the requests that the loop left to net/http.
	passed, asked atomic.Int64
}

func newTwins(t *testing.T, a *testkit.App) *twins {
	t.Helper()
	if os.Getenv("STOA_FRONT") == "off" {
		t.Skip("this run is without the loop, which leaves nothing to compare")
	}
	tw := new(twins)
	serve := func(listen func(net.Listener) net.Listener, h http.Handler) string {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		srv := &http.Server{Handler: h}
		front.Setup(srv)
		go func() { _ = srv.Serve(listen(ln)) }()
		t.Cleanup(func() { _ = srv.Close() })
		return ln.Addr().String()
	}
	tw.bare = serve(framing.NewGuard().Listen, a.Handler)
	tw.fronted = serve(a.Listen, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tw.passed.Add(1)
		a.Handler.ServeHTTP(w, r)
	}))
	return tw
}

// compare sends a request twice on one connection to both servers, and compares all bytes that come back.
// What differs from one answer of net/http to the next, such as times, is not compared.
func (tw *twins) compare(t *testing.T, sent string) {
	t.Helper()
	tw.asked.Add(2)
	sent += strings.Replace(sent, "\r\n", "\r\nConnection: close\r\n", 1)
	want, got := exchange(t, tw.bare, sent), exchange(t, tw.fronted, sent)
	if got == want {
		return
	}
	if again := exchange(t, tw.bare, sent); again != want {
		got, want = withoutValues(got), withoutValues(want)
	}
	if got != want {
		t.Errorf("sent %.500q\ngot  %q\nwant %q", sent, got, want)
	}
}

var (
	requestID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`)
	dateLine  = regexp.MustCompile(`Date: [^\r]*`)
)

// exchange returns what a server sends until it ends the connection, with the header lines in order.
func exchange(t *testing.T, addr, sent string) string {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(2 * time.Minute))
	go func() { _, _ = io.WriteString(c, sent) }()
	answer, err := io.ReadAll(c)
	if err != nil {
		t.Fatalf("sent %.500q: %v", sent, err)
	}
	text := dateLine.ReplaceAllString(requestID.ReplaceAllString(string(answer), "ID"), "Date: today")
	var out strings.Builder
	for block := range strings.SplitAfterSeq(text, "\r\n\r\n") {
		at := strings.Index(block, "HTTP/1.1 ")
		if at < 0 {
			out.WriteString(block)
			continue
		}
		lines := strings.Split(block[at:], "\r\n")
		slices.Sort(lines[1:])
		fmt.Fprintf(&out, "%s%s\n", block[:at], strings.Join(lines, "\n"))
	}
	return out.String()
}

var headLine = regexp.MustCompile(`(?m)^(?:[A-Z][A-Za-z0-9-]*:|HTTP/1.1 .*)`)

// withoutValues returns the status lines and the names of the headers.
func withoutValues(answers string) string {
	return strings.Join(headLine.FindAllString(answers, -1), "\n")
}

// Every operation of the API answers through the loop as it does through net/http alone.
func TestTheLoopAnswersEveryOperationAsNetHTTPDoes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tw := newTwins(t, w.App)
	for _, op := range testkit.Operations(t) {
		if op.Relayed {
			continue // a plugin's answers are never the same
		}
		head := "Host: localhost\r\nAccept-Encoding: gzip\r\n"
		token := ""
		if given := w.token(op); given != "" {
			token = "Authorization: Bearer " + given + "\r\n"
		}
		path := w.at(t, op, "", "")
		malformed := head + "Content-Type: application/json\r\nContent-Length: 1\r\n"
		if op.Method == http.MethodGet {
			tw.compare(t, "GET "+path+" HTTP/1.1\r\n"+head+token+"\r\n")
			tw.compare(t, "GET "+path+" HTTP/1.1\r\n"+head+token+"If-None-Match: *\r\nRange: bytes=1-2\r\n\r\n")
			tw.compare(t, "GET "+path+" HTTP/1.1\r\n"+malformed+token+"\r\n{")
			tw.compare(t, "HEAD "+path+" HTTP/1.1\r\n"+head+token+"\r\n")
			tw.compare(t, "GET "+path+"?nonsuch=1&limit=x;y HTTP/1.1\r\n"+head+"\r\n")
			continue
		}
		tw.compare(t, op.Method+" "+path+" HTTP/1.1\r\n"+malformed+"\r\n{")
		tw.compare(t, op.Method+" "+path+" HTTP/1.1\r\n"+head+"Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}")
		if op.Example != nil {
			tw.compare(t, op.Method+" "+path+" HTTP/1.1\r\n"+malformed+token+"\r\n{")
		}
	}
	// The test compares little if the loop serves little.
	if passed, asked := tw.passed.Load(), tw.asked.Load(); passed > asked/10 {
		t.Errorf("the loop left %d of %d requests to net/http", passed, asked)
	}
}

// So do pages, files, refusals, and what has no route.
func TestTheLoopAnswersOtherRequestsAsNetHTTPDoes(t *testing.T) {
	t.Parallel()
	a := testkit.NewShop(t)
	tw := newTwins(t, a)
	user := a.Register(t, "ada")
	key := a.BuyKey(t, "", "once")
	a.UseLicense(t, key)
	use := "licenseKey=" + key + "&instanceId=first.example"
	verify, lease := testkit.Products+"/mail-pack/license/verify?", testkit.Products+"/mail-pack/license/lease?"
	host, page := "Host: localhost\r\n", "Host: localhost\r\nAccept: "+browserAccept+"\r\n"
	bearer := host + "Authorization: Bearer " + user.Access + "\r\n"
	long := strings.Repeat("a", 3<<20)
	for _, sent := range []string{
		"GET " + verify + use + " HTTP/1.1\r\n" + host,
		"GET " + verify + use + "&nonce=n-1 HTTP/1.1\r\n" + host,
		"HEAD " + verify + use + "&nonce=n-1 HTTP/1.1\r\n" + host,
		"GET " + verify + use + "&nonce=%20 HTTP/1.1\r\n" + host,
		"GET " + verify + use + "x HTTP/1.1\r\n" + host,
		"GET " + verify + "licenseKey=" + testkit.UnknownKey() + "&instanceId=x HTTP/1.1\r\n" + host,
		"GET " + verify + "licenseKey=%zz;&instanceId HTTP/1.1\r\n" + host,
		"GET " + lease + use + "&nonce=n-1 HTTP/1.1\r\n" + host,
		"GET /auth/me HTTP/1.1\r\n" + bearer,
		"HEAD /auth/me HTTP/1.1\r\n" + bearer,
		"GET /auth/me HTTP/1.1\r\n" + bearer + "Authorization: Bearer x\r\n",
		"GET /auth/me HTTP/1.1\r\n" + host + "Authorization: Bearer " + user.Refresh + "\r\n",
		"GET / HTTP/1.1\r\n" + page, "HEAD / HTTP/1.1\r\n" + page, "GET /?q=mail&sort=name HTTP/1.1\r\n" + page,
		"GET / HTTP/1.1\r\n" + page + "Accept-Encoding: gzip, br\r\n", "GET /p/mail-pack HTTP/1.1\r\n" + page,
		"GET /p/nonsuch HTTP/1.1\r\n" + page, "GET /checkout/mail-pack/once HTTP/1.1\r\n" + page,
		"GET /console HTTP/1.1\r\n" + page, "GET /console/orders HTTP/1.1\r\n" + page, "GET /docs HTTP/1.1\r\n" + page,
		"GET /openapi.json HTTP/1.1\r\n" + host, "GET /assets/en/nonsuch.js HTTP/1.1\r\n" + page, "GET /livez HTTP/1.1\r\n" + host,
		"GET /nonsuch HTTP/1.1\r\n" + page, "GET /nonsuch HTTP/1.1\r\n" + host, "GET /api//nonsuch/../x HTTP/1.1\r\n" + host,
		"GET /%2F%2e HTTP/1.1\r\n" + page, "TRACE / HTTP/1.1\r\n" + host, "OPTIONS /auth/me HTTP/1.1\r\n" + host,
		"DELETE /auth/me HTTP/1.1\r\n" + host, "M-SEARCH / HTTP/1.1\r\n" + host, "GET / HTTP/1.1\r\nHost: other.example\r\n",
		"GET /livez HTTP/1.1\r\nHost: other.example\r\n", "GET /auth/me HTTP/1.1\r\n" + host + "Cookie: a=b\r\n",
		"GET " + testkit.Products + "?page=0&limit=1000 HTTP/1.1\r\n" + host,
		"GET " + testkit.Products + "/mail-pack HTTP/1.1\r\n" + host + "Accept-Encoding: gzip\r\nIf-None-Match: \"x\"\r\n",
	} {
		tw.compare(t, sent+"\r\n")
	}
	for name, body := range map[string]string{
		"none": "", "an object": "{}", "malformed": "{", "wrong types": `{"email":1,"refresh_token":2}`,
		"too long": `{"refresh_token":"` + long + `"}`,
	} {
		for _, path := range []string{"/auth/refresh", "/auth/login", testkit.Products + "/mail-pack/deactivate", "/nonsuch"} {
			for _, kind := range []string{"application/json", "text/plain"} {
				t.Logf("%s to %s", name, path)
				tw.compare(t, fmt.Sprintf("POST %s HTTP/1.1\r\n%sContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s",
					path, host, kind, len(body), body))
			}
		}
	}
	if passed, asked := tw.passed.Load(), tw.asked.Load(); passed > asked/10 {
		t.Errorf("the loop left %d of %d requests to net/http", passed, asked)
	}
}
