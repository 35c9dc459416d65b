package http1_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/edge/http1"
)

// fixed is a connection whose other side has sent everything already.
type fixed struct {
	net.Conn

	in     io.Reader
	closed bool
}

func (f *fixed) Read(p []byte) (int, error)  { return f.in.Read(p) }
func (f *fixed) Close() error                { f.closed = true; return nil }
func (f *fixed) SetDeadline(time.Time) error { return nil }

// got is an answer as both parsers show it.
type got struct {
	Status          int
	Header, Trailer http.Header
	Body            string
}

// read reads all of the answers up to the first that is not informational.
func read(tb testing.TB, method string, in io.Reader) (answer got, conn *fixed, err error) {
	tb.Helper()
	conn = &fixed{in: in}
	pool := http1.NewPool(func(context.Context, string, string) (net.Conn, error) { return conn, nil }, time.Minute)
	c, err := pool.Dial(tb.Context(), "a")
	if err != nil {
		tb.Fatal(err)
	}
	for {
		a, err := c.ReadAnswer(method)
		if err != nil {
			return got{}, conn, err
		}
		if a.Status < 200 && a.Status != http.StatusSwitchingProtocols {
			continue
		}
		body := c.Body(&a)
		text, err := io.ReadAll(&body)
		if err == nil {
			c.Release(&a, &body)
		}
		return got{a.Status, a.Header, a.Trailer, string(text)}, conn, err
	}
}

const ok = "HTTP/1.1 200 OK\r\n"

// sent is what a server sent to a request with a method (GET, if it is empty), and how it is read.
type sent struct {
	name, method, in string
	want             got
	kept             bool // the connection
}

func wantAnswers(t *testing.T, tests []sent) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			method := tt.method
			if method == "" {
				method = http.MethodGet
			}
			for name, in := range map[string]io.Reader{
				"whole": strings.NewReader(tt.in), "byte by byte": &byBytes{strings.NewReader(tt.in)},
			} {
				answer, conn, err := read(t, method, in)
				if diff := cmp.Diff(tt.want, answer); diff != "" || err != nil {
					t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
				}
				// Byte by byte, the unsolicited bytes have not arrived yet.
				if _, whole := in.(*strings.Reader); whole && conn.closed == tt.kept {
					t.Errorf("%s: the connection is closed: %t", name, conn.closed)
				}
			}
		})
	}
}

func TestAnswersAreReadWithTheirBody(t *testing.T) {
	t.Parallel()
	wantAnswers(t, []sent{
		{
			name: "a length", in: ok + "content-length: 2\r\nX-a:  b\t\r\nX-A: c\r\n\r\nhi", kept: true,
			want: got{Status: 200, Body: "hi", Header: http.Header{"Content-Length": {"2"}, "X-A": {"b", "c"}}},
		},
		{
			name: "chunks and a trailer", kept: true,
			in: ok + "Transfer-Encoding: Chunked\r\nTrailer: X-Sum, , Host\r\n\r\n" +
				"2;x=y\r\nhi\r\n003 \r\n, y\r\n0\r\nX-Sum: 1\r\nx-more: 2\r\nContent-Length: 9\r\n\r\n",
			want: got{
				Status: 200, Body: "hi, y", Header: http.Header{},
				Trailer: http.Header{"X-Sum": {"1"}, "X-More": {"2"}},
			},
		},
		{name: "until the end", in: ok + "\r\nhi", want: got{Status: 200, Body: "hi", Header: http.Header{}}},
		{
			name: "a repeated length", in: ok + "Content-Length: 1\r\nContent-Length: 1\r\n\r\nx", kept: true,
			want: got{Status: 200, Body: "x", Header: http.Header{"Content-Length": {"1"}}},
		},
	})
}

func TestAnswersWithoutABodyEndAfterTheirHead(t *testing.T) {
	t.Parallel()
	wantAnswers(t, []sent{
		{
			name: "HEAD", method: http.MethodHead, in: ok + "Content-Length: 5\r\n\r\n", kept: true,
			want: got{Status: 200, Header: http.Header{"Content-Length": {"5"}}},
		},
		{
			name: "no content", in: "HTTP/1.1 204 No Content\r\n\r\n", kept: true,
			want: got{Status: 204, Header: http.Header{}},
		},
		{
			name: "not modified", in: "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", kept: true,
			want: got{Status: 304, Header: http.Header{"Content-Length": {"5"}}},
		},
		{
			name: "early answers", in: "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103\r\nLink: a\r\n\r\n" + ok + "Content-Length: 0\r\n\r\n",
			kept: true, want: got{Status: 200, Header: http.Header{"Content-Length": {"0"}}},
		},
	})
}

func TestAConnectionIsKeptOnlyIfTheAnswerAllowsIt(t *testing.T) {
	t.Parallel()
	wantAnswers(t, []sent{
		{
			name: "an old server", in: "HTTP/1.0 404 Not Found\r\nContent-Length: 2\r\n\r\nhi",
			want: got{Status: 404, Body: "hi", Header: http.Header{"Content-Length": {"2"}}},
		},
		{
			name: "an old server that keeps the connection", kept: true,
			in:   "HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 0\r\n\r\n",
			want: got{Status: 200, Header: http.Header{"Content-Length": {"0"}, "Connection": {"Keep-Alive"}}},
		},
		{
			name: "the server closes", in: ok + "Connection: x, Close\r\nContent-Length: 0\r\n\r\n",
			want: got{Status: 200, Header: http.Header{"Content-Length": {"0"}, "Connection": {"x, Close"}}},
		},
		{
			name: "unsolicited bytes", in: ok + "Content-Length: 1\r\n\r\nxHTTP/1.1 200 OK\r\n",
			want: got{Status: 200, Body: "x", Header: http.Header{"Content-Length": {"1"}}},
		},
	})
}

// byBytes returns one byte at a time.
type byBytes struct{ in io.Reader }

func (b *byBytes) Read(p []byte) (int, error) { return b.in.Read(p[:1]) }

func TestAmbiguousAnswersAreRefused(t *testing.T) {
	t.Parallel()
	chunked := ok + "Transfer-Encoding: chunked\r\n\r\n"
	for name, in := range map[string]string{
		"not HTTP":                        "SSH-2.0-x\r\n\r\n",
		"HTTP/2":                          "HTTP/2.0 200 OK\r\n\r\n",
		"HTTP/1.2":                        "HTTP/1.2 200 OK\r\n\r\n",
		"no status":                       "HTTP/1.1 \r\n\r\n",
		"a status of two digits":          "HTTP/1.1 20 OK\r\n\r\n",
		"a status of four digits":         "HTTP/1.1 2000 OK\r\n\r\n",
		"a small status":                  "HTTP/1.1 099 OK\r\n\r\n",
		"a status with a sign":            "HTTP/1.1 +20 OK\r\n\r\n",
		"a NUL in the reason":             "HTTP/1.1 200 O\x00K\r\n\r\n",
		"a blank line first":              "\r\n" + ok + "\r\n",
		"bare line feeds":                 "HTTP/1.1 200 OK\nContent-Length: 0\n\n",
		"one bare line feed":              ok + "A: b\nContent-Length: 0\r\n\r\n",
		"a bare carriage return":          ok + "A: b\rContent-Length: 5\r\n\r\n",
		"a blank before the colon":        ok + "Content-Length : 0\r\n\r\n",
		"a blank before the name":         ok + " Content-Length: 0\r\n\r\n",
		"a folded line":                   ok + "A: b\r\n c\r\n\r\n",
		"no colon":                        ok + "A\r\n\r\n",
		"no name":                         ok + ": a\r\n\r\n",
		"a name with a blank":             ok + "A B: c\r\n\r\n",
		"a NUL in a value":                ok + "A: \x00\r\n\r\n",
		"two lengths":                     ok + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab",
		"a list of lengths":               ok + "Content-Length: 1, 1\r\n\r\na",
		"a length with a sign":            ok + "Content-Length: +1\r\n\r\na",
		"a length in hex":                 ok + "Content-Length: 0x1\r\n\r\na",
		"a huge length":                   ok + "Content-Length: 99999999999999999999\r\n\r\na",
		"an empty length":                 ok + "Content-Length:\r\n\r\n",
		"a length and chunks":             ok + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"another coding":                  ok + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
		"chunked twice":                   ok + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"identity":                        ok + "Transfer-Encoding: identity\r\n\r\n",
		"chunks of HTTP/1.0":              "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"an early answer with a body":     "HTTP/1.1 103 x\r\nContent-Length: 1\r\n\r\na",
		"a chunk without a size":          chunked + "\r\nhi\r\n0\r\n\r\n",
		"a chunk of negative size":        chunked + "-1\r\nhi\r\n0\r\n\r\n",
		"a chunk in 0x":                   chunked + "0x2\r\nhi\r\n0\r\n\r\n",
		"a chunk longer than its size":    chunked + "1\r\nhi\r\n0\r\n\r\n",
		"a chunk of overflowing size":     chunked + "10000000000000002\r\nhi\r\n0\r\n\r\n",
		"a chunk that ends with \\n":      chunked + "2\r\nhi\n0\r\n\r\n",
		"a size that ends with \\n":       chunked + "2\nhi\r\n0\r\n\r\n",
		"a chunk with a long extension":   chunked + "2;" + strings.Repeat("x", 2000) + "\r\nhi\r\n0\r\n\r\n",
		"a length as trailer":             ok + "Transfer-Encoding: chunked\r\nTrailer: content-length\r\n\r\n0\r\n\r\n",
		"a trailer that is none":          chunked + "0\r\nno trailer\r\n\r\n",
		"a head of more than 64 KiB":      ok + strings.Repeat("A: "+strings.Repeat("b", 1000)+"\r\n", 66) + "\r\n",
		"early answers without an end":    strings.Repeat("HTTP/1.1 103 x\r\nA: b\r\n\r\n", 5000),
		"a trailer of more than 64 KiB":   chunked + "0\r\n" + strings.Repeat("A: "+strings.Repeat("b", 1000)+"\r\n", 66) + "\r\n",
		"chunks that are mostly overhead": chunked + strings.Repeat("1;"+strings.Repeat("x", 500)+"\r\nh\r\n", 50) + "0\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if answer, _, err := read(t, http.MethodGet, strings.NewReader(in)); !errors.Is(err, http1.ErrMalformed) {
				t.Errorf("read %+v, %v", answer, err)
			}
		})
	}
}

func TestTruncatedAnswersAreErrors(t *testing.T) {
	t.Parallel()
	for _, whole := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nA: b\r\n\r\n",
	} {
		for n := range len(whole) {
			_, _, err := read(t, http.MethodGet, strings.NewReader(whole[:n]))
			want := io.ErrUnexpectedEOF
			if n == 0 {
				want = io.EOF
			}
			if !errors.Is(err, want) {
				t.Errorf("after %q: %v, want %v", whole[:n], err, want)
			}
		}
	}
}

// FuzzReadAnswer compares the parser with net/http, which accepts what it accepts and
// reads it in the same way.
func FuzzReadAnswer(f *testing.F) {
	for _, in := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nA: b\r\n\r\nhi",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n2;a\r\nhi\r\n0\r\nX: y\r\n\r\n",
		"HTTP/1.0 304 x\r\n\r\n", "HTTP/1.1 103\r\nLink: a\r\n\r\nHTTP/1.1 204 x\r\n\r\n", "HTTP/1.1 200\r\n\r\nrest",
		"HTTP/1.1 200 OK\r\nConnection: close, x\r\nContent-Length: 0\r\nContent-Length: 0\r\n\r\n",
	} {
		f.Add(in, false)
		f.Add(in, true)
	}
	f.Fuzz(func(t *testing.T, in string, head bool) {
		method := http.MethodGet
		if head {
			method = http.MethodHead
		}
		ours, _, err := read(t, method, strings.NewReader(in))
		if err != nil {
			return
		}
		theirs, err := readNet(method, in)
		if err != nil {
			t.Fatalf("net/http does not take what we take: %v\n%q\n%+v", err, in, ours)
		}
		delete(ours.Header, "Connection") // net/http removes some of them
		delete(theirs.Header, "Connection")
		if diff := cmp.Diff(theirs, ours); diff != "" {
			t.Errorf("net/http reads %q in another way (-net/http +ours):\n%s", in, diff)
		}
		slow, _, err := read(t, method, &byBytes{strings.NewReader(in)})
		delete(slow.Header, "Connection")
		if diff := cmp.Diff(ours, slow); diff != "" || err != nil {
			t.Errorf("byte by byte: %v (-whole +byte by byte):\n%s", err, diff)
		}
	})
}

func readNet(method, in string) (answer got, err error) {
	r := bufio.NewReader(strings.NewReader(in))
	for {
		res, err := http.ReadResponse(r, &http.Request{Method: method})
		if err != nil {
			return got{}, err
		}
		if res.StatusCode < 200 && res.StatusCode != http.StatusSwitchingProtocols {
			continue
		}
		var body bytes.Buffer
		if _, err := body.ReadFrom(res.Body); err != nil {
			return got{}, err
		}
		for _, name := range []string{"Content-Length", "Transfer-Encoding", "Trailer", "Host", "Connection"} {
			delete(res.Trailer, name)
		}
		if len(res.Trailer) == 0 {
			res.Trailer = nil
		}
		return got{res.StatusCode, res.Header, res.Trailer, body.String()}, nil
	}
}
