package relay_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stoa/internal/run"
	"stoa/internal/run/relay"
)

// line is one connection to a plugin whose every byte the test writes. nth counts the connections
// from 1.
type line struct {
	net.Conn

	nth int
	in  *bufio.Reader
}

// request reads a request to its end and returns its body. ok is false if there is none.
func (l line) request() (body string, ok bool) {
	r, err := http.ReadRequest(l.in)
	if err != nil {
		return "", false
	}
	text, err := io.ReadAll(r.Body)
	return string(text), err == nil
}

func (l line) say(text string) { _, _ = io.WriteString(l, text) }

// scripted starts a plugin that treats each connection as serve says, and then closes it.
func scripted(tb testing.TB, serve func(l line)) relay.Upstream {
	tb.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = ln.Close() })
	go func() {
		for n := 1; ; n++ {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				serve(line{conn, n, bufio.NewReader(conn)})
			}()
		}
	}()
	return upstream(tb, ln.Addr().String())
}

// pass makes one call.
func pass(tb testing.TB, up relay.Upstream, r *http.Request) (*httptest.ResponseRecorder, error) {
	tb.Helper()
	rec := httptest.NewRecorder()
	call := relay.NewCall(rec, r)
	defer call.End()
	return rec, call.Pass(up)
}

const hi = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"

func TestAConnectionIsUsedAgain(t *testing.T) {
	t.Parallel()
	var conns atomic.Int32
	up := scripted(t, func(l line) {
		conns.Add(1)
		for n := 0; ; n++ {
			if _, ok := l.request(); !ok {
				return
			}
			if n%2 == 0 {
				l.say(hi)
			} else {
				l.say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n")
			}
		}
	})
	up.UploadEnds = time.Minute // of a busy machine
	for _, body := range []string{"", "small", strings.Repeat("x", 100<<10), ""} {
		for _, length := range []int64{int64(len(body)), -1} {
			r := request(t, "POST", body)
			if r.ContentLength = length; body == "" {
				r = request(t, "GET", "")
			}
			if rec, err := pass(t, up, r); err != nil || rec.Body.String() != "hi" {
				t.Errorf("body of %d, length %d: %v, %q", len(body), length, err, rec.Body)
			}
		}
	}
	if n := conns.Load(); n != 1 {
		t.Errorf("%d connections", n)
	}
}

func TestAConnectionThatThePluginClosedIsReplaced(t *testing.T) {
	t.Parallel()
	closed, bodies := make(chan struct{}), make(chan string, 10)
	up := scripted(t, func(l line) {
		body, _ := l.request()
		bodies <- body
		l.say(hi)
		_ = l.Close()
		closed <- struct{}{}
	})
	for _, body := range []string{"one", "two", strings.Repeat("x", 100<<10)} {
		rec, err := pass(t, up, request(t, "POST", body))
		if err != nil || rec.Body.String() != "hi" || <-bodies != body {
			t.Errorf("%v, %q", err, rec.Body)
		}
		<-closed
	}
}

// However many connections a plugin closed when it restarted, a request that may not be sent
// twice reaches the new process.
func TestManyClosedConnectionsFailNoCall(t *testing.T) {
	t.Parallel()
	const many = 20
	var asked, closed sync.WaitGroup
	asked.Add(many)
	closed.Add(many)
	restart := make(chan struct{})
	up := scripted(t, func(l line) {
		_, _ = l.request()
		if l.nth > many {
			l.say(hi)
			return
		}
		asked.Done()
		asked.Wait() // so that there are many connections
		l.say(hi)
		<-restart
		_ = l.Close()
		closed.Done()
	})
	var calls sync.WaitGroup
	for range many {
		calls.Go(func() {
			if _, err := pass(t, up, request(t, "GET", "")); err != nil {
				t.Error(err)
			}
		})
	}
	calls.Wait()
	close(restart)
	closed.Wait()
	if rec, err := pass(t, up, request(t, "POST", "x")); err != nil || rec.Body.String() != "hi" {
		t.Errorf("%v, %q", err, rec.Body)
	}
}

// A process that died has left a pooled connection behind and accepts no new one. A request that
// it never saw may go to another process.
func TestACallThatMeetsADeadProcessMayBeRepeated(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"", "x", strings.Repeat("x", 16<<10), strings.Repeat("x", 100<<10)} {
		path := filepath.Join(t.TempDir(), "s")
		ln, err := net.Listen("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		died := make(chan struct{})
		go func() {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			l := line{conn, 1, bufio.NewReader(conn)}
			_, _ = l.request()
			_ = ln.Close()
			l.say(hi)
			_ = conn.Close()
			close(died)
		}()
		up := atSocket(t, path)
		if _, err := pass(t, up, request(t, "GET", "")); err != nil {
			t.Fatal(err)
		}
		<-died
		_, err = pass(t, up, request(t, "POST", body))
		if f, ok := errors.AsType[*relay.Failure](err); !ok || !f.NoConnection || !f.Repeatable {
			t.Errorf("%d bytes: %#v, want a failure that may be repeated", len(body), err)
		}
	}
}

// An answer that a plugin sends before any request must not become the answer to another client's
// request.
func TestAnAnswerWithoutARequestReachesNoClient(t *testing.T) {
	t.Parallel()
	sent := make(chan struct{}, 10)
	up := scripted(t, func(l line) {
		for {
			if _, ok := l.request(); !ok {
				return
			}
			l.say(hi)
			l.say("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")
			sent <- struct{}{}
		}
	})
	for range 3 {
		rec, err := pass(t, up, request(t, "GET", ""))
		if err != nil || rec.Body.String() != "hi" {
			t.Errorf("%v, %q", err, rec.Body)
		}
		<-sent
	}
}

func TestAnAnswerBeforeTheUploadEndsIsPassedOn(t *testing.T) {
	t.Parallel()
	up := scripted(t, func(l line) {
		if _, err := http.ReadRequest(l.in); err == nil { // the head only
			l.say("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno")
			_, _ = l.in.ReadByte()
			_, _ = io.Copy(io.Discard, io.LimitReader(l.in, 1<<10)) // and not the rest
			<-t.Context().Done()
		}
	})
	for _, length := range []int64{5 << 20, -1} {
		r := request(t, "POST", strings.Repeat("x", 5<<20))
		r.ContentLength = length
		rec, err := pass(t, up, r)
		if err != nil || rec.Code != http.StatusRequestEntityTooLarge || rec.Body.String() != "no" {
			t.Errorf("length %d: %v, %d %q", length, err, rec.Code, rec.Body)
		}
	}
}

// If a plugin answers and stops reading the request, its answer is passed on, and its connection
// is not reused.
func TestAnAnswerToARequestThatCouldNotBeWrittenIsPassedOn(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("unix", t.TempDir()+"/s")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	up := upstream(t, "plugin")
	transport := relay.NewTransport(func(context.Context, string, string) (net.Conn, error) {
		ours, err := net.Dial("unix", ln.Addr().String())
		if err != nil {
			return nil, err
		}
		theirs, err := ln.Accept()
		if err != nil {
			return nil, err
		}
		t.Cleanup(func() { _ = theirs.Close() })
		_ = theirs.(*net.UnixConn).CloseRead() // our writes fail, and nothing is lost
		_, err = io.WriteString(theirs, "HTTP/1.1 503 Busy\r\nContent-Length: 4\r\n\r\nbusy")
		return ours, err
	}, time.Minute)
	t.Cleanup(transport.CloseIdleConnections)
	up.Transport = transport
	for _, body := range []string{"", "small", strings.Repeat("x", 100<<10)} {
		for range 2 {
			rec, err := pass(t, up, request(t, "POST", body))
			if err != nil || rec.Code != http.StatusServiceUnavailable || rec.Body.String() != "busy" {
				t.Errorf("body of %d: %v, %d %q", len(body), err, rec.Code, rec.Body)
			}
		}
	}
}

func TestAClientThatLeavesEndsThePluginsConnection(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{"", "HTTP/1.1 200 OK\r\n\r\nhalf"} {
		for _, body := range []string{"", strings.Repeat("x", 100<<10)} {
			ctx, leave := context.WithCancel(t.Context())
			ended := make(chan struct{})
			up := scripted(t, func(l line) {
				_, _ = l.request()
				l.say(answer)
				leave()
				_, _ = io.Copy(io.Discard, l.in)
				close(ended)
			})
			up.UploadEnds = time.Minute // of a busy machine
			if _, err := pass(t, up, request(t, "POST", body).WithContext(ctx)); err != nil {
				t.Errorf("Pass = %v, want nil: the client is gone", err)
			}
			<-ended
		}
	}
}

func TestEarlyAnswersWithoutAnEndAreEnded(t *testing.T) {
	t.Parallel()
	up := scripted(t, func(l line) {
		_, _ = l.request()
		for {
			if _, err := io.WriteString(l, "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"); err != nil {
				return
			}
		}
	})
	_, err := pass(t, up, request(t, "GET", ""))
	if f, ok := errors.AsType[*relay.Failure](err); !ok || !f.Answered {
		t.Errorf("Pass = %v", err)
	}
}

func TestAPluginThatDoesNotAnswerInTimeIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"no body": "", "a small body": "x", "a large body": strings.Repeat("x", 100<<10),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			up := scripted(t, func(l line) {
				_, _ = l.request()
				l.say("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200") // a beginning is no answer
				<-t.Context().Done()
			})
			up.FirstByte = 20 * time.Millisecond
			if _, err := pass(t, up, request(t, "POST", body)); !errors.Is(err, run.ErrTimeout) {
				t.Errorf("Pass = %v", err)
			}
		})
	}
}
