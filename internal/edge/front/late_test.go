package front_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"stoa/internal/edge/framing"
	"stoa/internal/edge/front"
)

// closedAfter returns how long the server leaves the connection open.
func closedAfter(c net.Conn, in *bufio.Reader) time.Duration {
	began := time.Now()
	_ = c.SetReadDeadline(began.Add(time.Hour))
	_, _ = io.Copy(io.Discard, in)
	return time.Since(began)
}

// kinds are requests that have an answer before a head that comes slowly: one that a Front
// serves, and one that net/http does.
var kinds = map[string]string{
	"after a call": call, "after net/http's": passedOn, "as the first": "",
}

// From its first byte on, a head has as much time on a reused connection as on a new one, whether
// the Front or net/http serves it.
func TestASlowHeadEndsItsConnection(t *testing.T) {
	t.Parallel()
	for name, before := range kinds {
		for _, part := range []string{
			"G", "GET /api/x/a HTTP/1.1\r\nHost: x\r\n", "GET /api/x/a HTTP/1.1\r\nHost: x\r\n" + behind, "\r", "PRI * HTTP/2",
		} {
			synctest.Test(t, func(t *testing.T) {
				c := piped(t, handler)()
				in := bufio.NewReader(c)
				want := framing.HeadTimeout
				if before != "" {
					fmt.Fprint(c, before)
					if _, err := http.ReadResponse(in, nil); err != nil {
						t.Fatal(err)
					}
					_, _ = in.Discard(in.Buffered())
					time.Sleep(front.IdleTimeout - time.Minute)
				} else {
					time.Sleep(time.Second)
					want -= time.Second // the first has as long as the connection has been there
				}
				fmt.Fprint(c, part)
				if took := closedAfter(c, in); took != want {
					t.Errorf("%s, %q: the connection was closed after %v, want %v", name, part, took, want)
				}
			})
		}
	}
}

// Single bytes do not restart the time limit.
func TestATricklingHeadEndsItsConnection(t *testing.T) {
	t.Parallel()
	for name, before := range kinds {
		synctest.Test(t, func(t *testing.T) {
			c := piped(t, handler)()
			in := bufio.NewReader(c)
			if before != "" {
				fmt.Fprint(c, before)
				if _, err := http.ReadResponse(in, nil); err != nil {
					t.Fatal(err)
				}
				_, _ = in.Discard(in.Buffered())
			}
			began := time.Now()
			for err := error(nil); err == nil; time.Sleep(9 * time.Second) {
				_, err = io.WriteString(c, "G")
			}
			if took := time.Since(began); took > 3*framing.HeadTimeout {
				t.Errorf("%s: the connection was closed after %v", name, took)
			}
		})
	}
}

// The limit applies to the head, not to the body after it or to the wait for the next request.
func TestASlowHeadThatComesInTimeIsServed(t *testing.T) {
	t.Parallel()
	for _, by := range []string{"", behind} {
		synctest.Test(t, func(t *testing.T) {
			c := piped(t, handler)()
			in := bufio.NewReader(c)
			for range 3 {
				fmt.Fprintf(c, "POST /api/x/a HTTP/1.1\r\n%sHo", by)
				time.Sleep(framing.HeadTimeout - 1)
				fmt.Fprint(c, "st: x\r\nContent-Length: 2\r\n\r\n")
				time.Sleep(framing.HeadTimeout + time.Second)
				fmt.Fprint(c, "h")
				time.Sleep(framing.HeadTimeout + time.Second)
				fmt.Fprint(c, "i")
				expect(t, in, "200 /api/x/a hi")
				time.Sleep(front.IdleTimeout - 1)
			}
		})
	}
}

// A head in two pieces does not shorten the idle timeout of the connection.
func TestAHeadInPiecesDoesNotShortenTheWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := piped(t, handler)()
		in := bufio.NewReader(c)
		for range 2 {
			for range 3 {
				fmt.Fprint(c, call[:10])
				fmt.Fprint(c, call[10:])
				expect(t, in, "200 /api/x/a ")
			}
			time.Sleep(front.IdleTimeout - time.Second)
		}
	})
}

// A client that starts its next request while it waits for an answer, and then stops, gets that
// answer. After it, the time limit for the head applies.
func TestAHeadThatStartsDuringARequestDoesNotEndIt(t *testing.T) {
	t.Parallel()
	for _, by := range []string{"", behind} {
		synctest.Test(t, func(t *testing.T) {
			c := piped(t, func(w http.ResponseWriter, r *http.Request) {
				select {
				case <-time.After(time.Hour):
					_, _ = io.WriteString(w, "done")
				case <-r.Context().Done():
				}
			})()
			in := bufio.NewReader(c)
			head := strings.Replace(call, "Host", by+"Host", 1)
			for range 2 {
				fmt.Fprint(c, head)
				expect(t, in, "200 done")
			}
			fmt.Fprint(c, head)
			time.Sleep(time.Second)
			fmt.Fprint(c, "GET ")
			expect(t, in, "200 done")
			if took := closedAfter(c, in); took != framing.HeadTimeout {
				t.Errorf("%q: the connection was closed after %v", by, took)
			}
		})
	}
}

// A body that is announced but never sent holds up neither the answer nor the connection, if the
// handler does not read it.
func TestABodyThatNeverComesDoesNotHoldItsAnswer(t *testing.T) {
	t.Parallel()
	for _, by := range []string{"", behind} {
		for _, length := range []string{"Content-Length: 1000", "Transfer-Encoding: chunked", "Content-Length: 1000000"} {
			for _, kept := range []bool{false, true} {
				synctest.Test(t, func(t *testing.T) {
					c := piped(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") })()
					in := bufio.NewReader(c)
					if kept {
						fmt.Fprint(c, call)
						expect(t, in, "200 hello")
					}
					began := time.Now()
					fmt.Fprintf(c, "POST /api/x/a HTTP/1.1\r\nHost: x\r\n%s%s\r\n\r\n", by, length)
					expect(t, in, "200 hello")
					closedAfter(c, in)
					if took := time.Since(began); took > 2*front.BodyTimeout {
						t.Errorf("%q, %s: it took %v", by, length, took)
					}
				})
			}
		}
	}
}

// A connection may be as old as it likes when the first request for net/http comes: its body has as long
// as any, and its context lives.
func TestARequestForNetHTTPOnAnOldConnectionIsServed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := piped(t, func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			time.Sleep(time.Second)
			fmt.Fprintf(w, "%s %v %v", body, err, r.Context().Err())
		})()
		in := bufio.NewReader(c)
		for range 2 {
			fmt.Fprint(c, call)
			expect(t, in, "200  <nil> <nil>")
			time.Sleep(front.BodyTimeout + time.Second)
		}
		fmt.Fprint(c, "POST /api/x/a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n")
		time.Sleep(time.Second)
		fmt.Fprint(c, "hi\r\n0\r\n\r\n")
		expect(t, in, "200 hi <nil> <nil>")
	})
}
