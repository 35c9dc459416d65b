package gateway_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa/internal/testkit/waittest"
)

const mib = 1 << 20

func TestBodyLimits(t *testing.T) {
	t.Parallel()

	tests := []struct {
		name    string
		size    int
		chunked bool
		want    string
	}{
		{"no body", 0, false, "418"},
		{"an empty stream", 0, true, "418"},
		{"1 MiB is signed", mib, false, "418"},
		{"1 MiB of unknown length is signed", mib, true, "418"},
		{"one byte more is a stream", mib + 1, false, "418"},
		{"one byte more of unknown length is a stream", mib + 1, true, "418"},
		{"10 MiB", 10 * mib, false, "418"},
		{"10 MiB of unknown length", 10 * mib, true, "418"},
		{"one byte too many", 10*mib + 1, false, "PAYLOAD_TOO_LARGE"},
		{"one byte too many of unknown length", 10*mib + 1, true, "PAYLOAD_TOO_LARGE"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			k := newKit(t)
			var res *http.Response
			waittest.Until(t, "an answer", func() (err error) { // an upload that is refused may fail
				var body io.Reader = bodyOf(tt.size)
				if tt.chunked {
					body = struct{ io.Reader }{body}
				}
				r, err := http.NewRequestWithContext(t.Context(), "POST", k.front.URL+"/api/x", body)
				if err != nil {
					return err
				}
				if res, err = k.client.RoundTrip(r); err != nil && tt.want == "418" {
					t.Fatal(err)
				}
				return err
			})
			defer res.Body.Close()
			if got := code(res); got != tt.want {
				t.Fatalf("%s, want %s", got, tt.want)
			}
			if tt.want != "418" {
				k.untouched(t)
				return
			}
			got := k.next(t)
			got.verified(t)
			if len(got.body) != tt.size {
				t.Errorf("%d bytes arrived, want %d", len(got.body), tt.size)
			}
		})
	}
}

func TestCompressedBodiesPassByteForByte(t *testing.T) {
	t.Parallel()

	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	_, _ = w.Write(bytes.Repeat([]byte("hello "), 1000))
	_ = w.Close()

	k := newKit(t)
	k.answer = func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Encoding", r.Header.Get("Content-Encoding"))
		_, _ = w.Write(body)
	}
	for _, accept := range []string{"", "gzip", "identity"} {
		h := http.Header{"Content-Encoding": {"gzip"}, "Accept-Encoding": {accept}}
		res := k.do(t, "POST", "/api/x", bytes.NewReader(zipped.Bytes()), h)
		got, err := io.ReadAll(res.Body)
		if err != nil || !bytes.Equal(got, zipped.Bytes()) || res.Header.Get("Content-Encoding") != "gzip" {
			t.Errorf("accepting %q: %d bytes, %v, encoding %q", accept, len(got), err, res.Header.Get("Content-Encoding"))
		}
	}
}

// Buffers are shared between requests: the body of one must not show up in another.
func TestConcurrentBodiesStayApart(t *testing.T) {
	t.Parallel()

	k := newKit(t)
	k.answer = func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, _ = w.Write(body)
	}
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			want := bytes.Repeat([]byte{byte('a' + i)}, 1000*(i+1))
			for range 20 {
				res := k.do(t, "POST", "/api/x", bytes.NewReader(want), nil)
				if got, err := io.ReadAll(res.Body); err != nil || !bytes.Equal(got, want) {
					t.Errorf("body %d came back changed (%v)", i, err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// An answer that comes before the upload ends reaches the client, and the rest of the upload is
// never taken for another request.
func TestAnswerBeforeTheUploadEnds(t *testing.T) {
	t.Parallel()

	k := newKit(t)
	var calls []string
	k.answer = func(w http.ResponseWriter, r *http.Request) {
		k.mu.Lock()
		calls = append(calls, r.RequestURI)
		k.mu.Unlock()
		w.WriteHeader(http.StatusForbidden)
	}
	for _, head := range []string{
		fmt.Sprintf("Content-Length: %d\r\n\r\n", 9*mib),
		fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n", 9*mib),
	} {
		for range 5 {
			c, err := net.Dial("tcp", k.front.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			go func() {
				_, _ = io.WriteString(c, "POST /api/x HTTP/1.1\r\nHost: shop\r\n"+head)
				_, _ = io.WriteString(c, strings.Repeat("GET /api/smuggled HTTP/1.1\r\nHost: shop\r\n\r\n", 2*mib/44))
			}()
			answers := bufio.NewReader(c)
			res, err := http.ReadResponse(answers, nil)
			if err != nil || res.StatusCode != http.StatusForbidden || !res.Close {
				t.Fatalf("answer = %v, %v; want 403 and the end of the connection", res, err)
			}
			if rest, _ := io.ReadAll(answers); len(rest) > 0 {
				t.Fatalf("after the answer came %q", rest)
			}
			_ = c.Close()
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, uri := range calls {
		if uri != "/base/api/x" {
			t.Errorf("the plugin was called at %s", uri)
		}
	}
}

// A connection whose upload was read to its end serves the next request.
func TestConnectionsAreReusedAfterUploads(t *testing.T) {
	t.Parallel()

	k := newKit(t)
	c, err := net.Dial("tcp", k.front.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	answers := bufio.NewReader(c)
	for _, size := range []int{0, 100, mib, mib + 1, 3 * mib} {
		go func() {
			fmt.Fprintf(c, "POST /api/x HTTP/1.1\r\nHost: shop\r\nContent-Length: %d\r\n\r\n", size)
			_, _ = io.Copy(c, bodyOf(size))
		}()
		res, err := http.ReadResponse(answers, nil)
		if err != nil || res.StatusCode != http.StatusTeapot || res.Close {
			t.Fatalf("after %d bytes: %v, %v", size, res, err)
		}
		k.next(t)
	}
}

// A client that stalls in an upload that is no longer read delays nothing.
func TestStalledUploadIsCutOffAfterTheAnswer(t *testing.T) {
	t.Parallel()

	k := newKit(t)
	k.answer = func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).EnableFullDuplex() // or this server would wait for the rest
		_, _ = io.CopyN(io.Discard, r.Body, mib)
		w.WriteHeader(http.StatusForbidden)
	}
	c, err := net.Dial("tcp", k.front.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	go func() {
		fmt.Fprintf(c, "POST /api/x HTTP/1.1\r\nHost: shop\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n", 9*mib)
		_, _ = io.Copy(c, bodyOf(mib+100_000))
	}()
	_ = c.SetReadDeadline(time.Now().Add(25 * time.Second)) // less than a client may pause
	answers := bufio.NewReader(c)
	if res, err := http.ReadResponse(answers, nil); err != nil || res.StatusCode != http.StatusForbidden {
		t.Fatalf("answer = %v, %v", res, err)
	}
	if _, err := io.ReadAll(answers); err != nil {
		t.Errorf("the connection is still open: %v", err)
	}
}
