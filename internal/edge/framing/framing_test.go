package framing_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"stoa/internal/edge/framing"
)

// newServer starts a server that answers each request with a description of it, or with
// 400 if it is refused.
func newServer(t testing.TB, watched bool) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := ln.Addr().String()
	refused := func(*http.Request) bool { return false }
	if watched {
		g := framing.NewGuard()
		ln, refused = g.Listen(ln), g.Refused
	}
	srv := &http.Server{
		ReadHeaderTimeout: 5 * time.Minute, MaxHeaderBytes: framing.MaxHead, ConnState: framing.ConnState,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header()["Date"] = nil
			if refused(r) {
				w.WriteHeader(http.StatusBadRequest)
				return
			}
			if r.Header.Get("Upgrade") != "" {
				echo(w)
				return
			}
			body, err := io.ReadAll(r.Body)
			fmt.Fprintf(w, "%s %s %q %v", r.Method, r.URL.Path, body, err)
		}),
	}
	go func() { _ = srv.Serve(ln) }()
	t.Cleanup(func() { _ = srv.Close() })
	return addr
}

// echo hijacks the connection and sends back all data.
func echo(w http.ResponseWriter) {
	c, rw, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer c.Close()
	_, _ = io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\n\r\n")
	_, _ = io.Copy(c, rw)
}

// talk sends pieces, each with its own write, and returns all that the server sends
// until it closes the connection.
func talk(t testing.TB, addr string, pieces ...string) string {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(time.Minute))
	for _, p := range pieces {
		if _, err := io.WriteString(c, p); err != nil {
			break // the server has closed the connection
		}
	}
	_ = c.(*net.TCPConn).CloseWrite()
	answer, _ := io.ReadAll(c)
	return string(answer)
}

const (
	get     = "GET /one HTTP/1.1\r\nHost: x\r\n\r\n"
	last    = "GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
	sized   = "POST /sized HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello"
	chunked = "POST /chunked HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n3\r\n\r\n" +
		"\r\r\n0\r\nT: 1\r\n\r\n"
	twice    = "POST /twice HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
	smuggled = "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
	// net/http joins folded lines before it looks at lengths.
	foldedLength = "GET /one HTTP/1.1\r\nHost: x\r\nContent-Length:\r\n 0\r\n\r\n"
	foldedLine   = "GET /one HTTP/1.1\r\nHost: x\r\nX: a\r\n Content-Length: 96\r\n\r\n" + twice

	inBodies = "POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 86\r\n\r\nPOST /x HTTP/1.1\r\nHost: x\r\n" +
		"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n   "
	lineFeeds = "POST /lf HTTP/1.1\nHost: x\nContent-Length: 2\n\nhi"
)

var statusLine = regexp.MustCompile(`HTTP/1\.[01] (\d{3}) `)

func TestRequestWithBothLengthsIsRefusedAndNothingAfterItIsRead(t *testing.T) {
	t.Parallel()

	addr := newServer(t, true)
	tests := []struct {
		name string
		sent string
		want []string // statuses, in order
	}{
		{"alone", twice, []string{"400"}},
		{"followed by a smuggled request", twice + smuggled, []string{"400"}},
		{"after others on the connection", get + sized + chunked + twice + smuggled, []string{"200", "200", "200", "400"}},
		{
			"in the other order",
			strings.Replace(twice, "Content-Length: 5\r\nTransfer-Encoding: chunked",
				"Transfer-Encoding: chunked\r\nContent-Length: 5", 1),
			[]string{"400"},
		},
		{"in another case", strings.Replace(twice, "Content-Length", "cOnTeNt-lEnGtH", 1), []string{"400"}},
		{"with line feeds only", strings.ReplaceAll(twice, "\r\n", "\n"), []string{"400"}},
		{
			"with a folded value",
			strings.Replace(twice, "Transfer-Encoding: chunked", "Transfer-Encoding:\r\n chunked", 1),
			[]string{"400"},
		},
		{"after a folded length", foldedLength + twice + smuggled, []string{"400"}},
		{"behind a folded line like a length", foldedLine + smuggled, []string{"400"}},
		{"behind a folded line of blanks", strings.Replace(get, "Host: x", "Host: x\r\n\t ", 1) + smuggled, []string{"400"}},
		{"a folded first header", "GET /one HTTP/1.1\r\n Host: x\r\n\r\n" + smuggled, []string{"400"}},
		{
			"with keep-alive asked for",
			strings.Replace(twice, "Host: x", "Host: x\r\nConnection: keep-alive", 1) + smuggled,
			[]string{"400"},
		},
		{"expecting 100-continue", strings.Replace(twice, "Host: x", "Host: x\r\nExpect: 100-continue", 1), []string{"400"}},
		{"Transfer-Encoding in HTTP/1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", []string{"400"}},
		{"the same text inside a body", inBodies + last, []string{"200", "200"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			for size, pieces := range map[string][]string{"at once": {tt.sent}, "byte by byte": strings.Split(tt.sent, "")} {
				answer := talk(t, addr, pieces...)
				var got []string
				for _, m := range statusLine.FindAllStringSubmatch(answer, -1) {
					got = append(got, m[1])
				}
				if fmt.Sprint(got) != fmt.Sprint(tt.want) {
					t.Errorf("%s: statuses = %v, want %v\n%s", size, got, tt.want, answer)
				}
				if strings.Contains(answer, "/smuggled") {
					t.Errorf("%s: the smuggled request was answered", size)
				}
			}
		})
	}
}

// An io.Reader may return io.EOF together with the last bytes, as *tls.Conn does.
func TestLastBytesAreWatchedIfEOFComesWithThem(t *testing.T) {
	t.Parallel()

	for sent, want := range map[string]string{
		get + twice:                    get + "POST /twice HTTP/1.1\r\nHost: x\r\nX-Stoa-Ambiguous-",
		get + "GET /half HTTP/1.1\r\n": get + "GET /half HTTP/1.1\r\n",
	} {
		c, err := framing.NewGuard().Listen(ending{r: strings.NewReader(sent)}).Accept()
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(c); err != nil || !strings.HasPrefix(string(got), want) {
			t.Errorf("read %q, %v; want %q", got, err, want)
		}
	}
}

// ending is a listener and its only connection, which reads from r.
type ending struct {
	net.Listener
	net.Conn

	r     *strings.Reader
	reads *int // if not nil, counts Reads
}

func (e ending) Accept() (net.Conn, error) { return e, nil }
func (e ending) Addr() net.Addr            { return nil }
func (e ending) Close() error              { return nil }

func (e ending) Read(p []byte) (int, error) {
	if e.reads != nil {
		*e.reads++
	}
	n, err := e.r.Read(p)
	if e.r.Len() == 0 {
		err = io.EOF
	}
	return n, err
}

// Nothing is inspected in a body, so it is read in pieces as large as the reader takes, up to its end.
func TestABodyIsReadInLargePieces(t *testing.T) {
	t.Parallel()
	const size, piece = 1 << 20, 64 << 10
	body := strings.Repeat("x", size)
	next := get + twice + smuggled
	for name, sent := range map[string]string{
		"sized":   fmt.Sprintf("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", size, body),
		"chunked": fmt.Sprintf("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", size, body),
	} {
		reads := 0
		c, err := framing.NewGuard().Listen(ending{r: strings.NewReader(sent + next), reads: &reads}).Accept()
		if err != nil {
			t.Fatal(err)
		}
		var got []byte
		for buf := make([]byte, piece); err == nil; {
			var n int
			n, err = c.Read(buf)
			got = append(got, buf[:n]...)
		}
		if most := size/piece + 6; reads > most {
			t.Errorf("%s: %d reads, want %d at most", name, reads, most)
		}
		want := sent + get + "POST /twice HTTP/1.1\r\nHost: x\r\nX-Stoa-Ambiguous-"
		if !strings.HasPrefix(string(got), want) || strings.Contains(string(got), "/smuggled") {
			t.Errorf("%s: after the body came %q", name, got[min(len(sent), len(got)):])
		}
	}
}

func TestOtherRequestsPassUnchanged(t *testing.T) {
	t.Parallel()

	watched, bare := newServer(t, true), newServer(t, false)
	for _, sent := range []string{
		get + last, sized + last, chunked + last, lineFeeds + last, inBodies + last,
		"GET / HTTP/1.1\r\n\r\n", "nonsense\r\n\r\n", "GET / HTTP/1.1\r\nHost: x\r\nBad\r\n\r\n",
		"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: nine\r\n\r\n", "GET / HTTP/1.1\r\nHost",
		"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
		"GET / HTTP/1.1\r\nHost: x\r\nBig: " + strings.Repeat("a", 100<<10) + "\r\n\r\n",
	} {
		if got, want := talk(t, watched, sent), talk(t, bare, sent); got != want {
			t.Errorf("%.80q: got %q, want %q", sent, got, want)
		}
	}
}

// Only so much of a head is held back: net/http answers an endless head
// while the connection is open.
func TestAnEndlessHeadIsNotHeldBack(t *testing.T) {
	t.Parallel()

	c, err := net.Dial("tcp", newServer(t, true))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(time.Minute)) // before that of the server
	_, _ = fmt.Fprint(c, "GET / HTTP/1.1\r\nHost: x\r\nBig: "+strings.Repeat("a", 100<<10))
	if line, err := bufio.NewReader(c).ReadString('\n'); err != nil || !strings.Contains(line, "431") {
		t.Errorf("answer = %q, %v; want 431", line, err)
	}
}

func TestAnUpgradedConnectionIsNotWatched(t *testing.T) {
	t.Parallel()

	c, err := net.Dial("tcp", newServer(t, true))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(time.Minute))
	in := bufio.NewReader(c)
	fmt.Fprint(c, "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
	if line, err := in.ReadString('\n'); err != nil || !strings.Contains(line, "101") {
		t.Fatalf("answer = %q, %v; want 101", line, err)
	}
	_, _ = in.ReadString('\n')
	for _, frame := range []string{"half a line", "\r\n\r\n", twice} {
		fmt.Fprint(c, frame)
		got := make([]byte, len(frame))
		if _, err := io.ReadFull(in, got); err != nil || string(got) != frame {
			t.Fatalf("echo = %q, %v; want %q", got, err, frame)
		}
	}
}

// FuzzFraming sends the same bytes to a watched and to a bare server. The answers must
// be the same unless a request is refused.
func FuzzFraming(f *testing.F) {
	for _, s := range []string{get + last, sized, chunked, twice + smuggled, inBodies, lineFeeds, foldedLength + twice, foldedLine} {
		f.Add(s, 7)
	}
	watched, bare := newServer(f, true), newServer(f, false)
	f.Fuzz(func(t *testing.T, sent string, cut int) {
		pieces := []string{sent}
		if cut > 0 && cut < len(sent) {
			pieces = []string{sent[:cut], sent[cut:]}
		}
		got := talk(t, watched, pieces...)
		if strings.Contains(strings.ToLower(sent), "transfer-encoding") && !strings.Contains(got, " 200 OK") {
			return // refused, by us or by net/http, perhaps for another reason
		}
		if want := talk(t, bare, sent); got != want && !strings.Contains(got, "400 Bad Request") {
			t.Errorf("%q: got %q, want %q", sent, got, want)
		}
	})
}
