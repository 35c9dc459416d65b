package front_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"stoa/internal/edge/front"
	"stoa/internal/edge/stall"
	"stoa/internal/testkit/waittest"
)

const call = "GET /api/x/a HTTP/1.1\r\nHost: x\r\n\r\n"

// passedOn is a call that a Front leaves to net/http.
const passedOn = "GET /api/x/a HTTP/1.1\r\nHost: x\r\n" + behind + "\r\n"

// expect reads an answer, and compares its status and body.
func expect(tb testing.TB, in *bufio.Reader, want string) *http.Response {
	tb.Helper()
	res, err := answer(in, want)
	if err != nil {
		tb.Fatal(err)
	}
	return res
}

// answer reads an answer. The error says in what it is not the one that is wanted.
func answer(in *bufio.Reader, want string) (*http.Response, error) {
	res, err := http.ReadResponse(in, nil)
	if err != nil {
		return nil, fmt.Errorf("%w; want %q", err, want)
	}
	body, err := io.ReadAll(res.Body)
	if got := fmt.Sprintf("%d %s", res.StatusCode, body); got != want || err != nil {
		return nil, fmt.Errorf("got %q, %v; want %q", got, err, want) //nolint:errorlint // err is nil if the body differs
	}
	return res, nil
}

// handler answers with the path and the body.
func handler(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	fmt.Fprintf(w, "%s %s", r.URL.Path, body)
}

// The handler gets the context that Begin returns.
func TestBeginMakesTheContextOfARequest(t *testing.T) {
	t.Parallel()
	type key struct{}
	s := newServer(t, true, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, hasServer := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
		_, _ = fmt.Fprint(w, r.Context().Value(key{}), r.RemoteAddr, hasServer)
	}))
	s.front.Begin = func(ctx context.Context, r *http.Request) context.Context {
		r.RemoteAddr = "192.0.2.1:1"
		return context.WithValue(ctx, key{}, "begun ")
	}
	res, err := http.Get("http://" + s.addr + called)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if body, err := io.ReadAll(res.Body); err != nil || string(body) != "begun 192.0.2.1:1true" {
		t.Errorf("%q, %v", body, err)
	}
}

// A connection goes to net/http for requests that the Front does not serve, and comes back.
func TestAConnectionIsShared(t *testing.T) {
	t.Parallel()

	s := newServer(t, true, http.HandlerFunc(handler))
	c, in := s.dial(t)
	for range 3 {
		// net/http may have read a byte ahead, and then it serves the call. This must not happen each time.
		for tries, served := 0, false; !served; tries++ {
			before := s.passed.Load()
			fmt.Fprint(c, call)
			expect(t, in, "200 /api/x/a ")
			served = s.passed.Load() == before
			if tries > 1000 {
				t.Fatal("the connection never comes back from net/http")
			}
		}
		before := s.passed.Load()
		fmt.Fprint(c, "POST /api/x/b HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi")
		expect(t, in, "200 /api/x/b hi")
		if got := s.passed.Load(); got != before {
			t.Fatal("net/http served a call that followed another")
		}
		fmt.Fprint(c, "POST /api/x/c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n")
		expect(t, in, "200 /api/x/c hi")
		if s.passed.Load() != before+1 {
			t.Fatal("net/http did not serve a request that the Front does not")
		}
	}
}

// Pipelined requests are answered in order, by the Front and by net/http.
func TestPipelinedRequestsAreAnsweredInOrder(t *testing.T) {
	t.Parallel()

	s := newServer(t, true, http.HandlerFunc(handler))
	c, in := s.dial(t)
	var sent strings.Builder
	var want []string
	for i := range 200 { // more than the buffers hold
		path, by := fmt.Sprintf("/api/x/%d", i), ""
		if i%5 == 4 {
			by = behind
		}
		body := strings.Repeat("b", i*7%300)
		fmt.Fprintf(&sent, "POST %s HTTP/1.1\r\nHost: x\r\n%sContent-Length: %d\r\n\r\n%s", path, by, len(body), body)
		want = append(want, "200 "+path+" "+body)
	}
	go func() { _, _ = io.WriteString(c, sent.String()) }()
	for _, w := range want {
		expect(t, in, w)
	}
	calls := strings.Repeat(call, 500)
	s = newServer(t, true, http.HandlerFunc(handler))
	c, in = s.dial(t)
	go func() { _, _ = io.WriteString(c, calls) }()
	for range 500 {
		expect(t, in, "200 /api/x/a ")
	}
	if got := s.passed.Load(); got != 0 {
		t.Errorf("net/http served %d calls that were sent at once", got)
	}
}

// net/http serves requests with a long head.
func TestLongHeads(t *testing.T) {
	t.Parallel()

	s := newServer(t, true, http.HandlerFunc(handler))
	for _, size := range []int{1 << 10, 4 << 10, 5 << 10, 60 << 10} {
		c, in := s.dial(t)
		for range 2 {
			fmt.Fprintf(c, "GET /api/x/a HTTP/1.1\r\nHost: x\r\nA: %s\r\n\r\n", strings.Repeat("a", size))
			expect(t, in, "200 /api/x/a ")
			fmt.Fprint(c, call)
			expect(t, in, "200 /api/x/a ")
		}
	}
	c, in := s.dial(t)
	fmt.Fprint(c, call)
	expect(t, in, "200 /api/x/a ")
	fmt.Fprintf(c, "GET /api/x/a HTTP/1.1\r\nHost: x\r\nA: %s\r\n\r\n", strings.Repeat("a", 100<<10))
	if res, err := http.ReadResponse(in, nil); err != nil || res.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("answer = %v, %v; want 431", res, err)
	}
}

// holder is a handler that waits until the test releases it or its client leaves.
type holder struct {
	began chan *http.Request
	gone  chan error // the context's error
	let   chan struct{}
}

func newHolder() *holder {
	return &holder{make(chan *http.Request, 1), make(chan error, 1), make(chan struct{})}
}

func (h *holder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	h.began <- r
	select {
	case <-r.Context().Done():
		h.gone <- r.Context().Err()
	case <-h.let:
		_, _ = io.WriteString(w, "done")
	}
}

func TestAClientThatLeavesEndsItsCall(t *testing.T) {
	t.Parallel()

	for name, sent := range map[string]string{
		"without a body": call,
		"with a body":    "POST /api/x/a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			h := newHolder()
			s := newServer(t, true, h)
			c, _ := s.dial(t)
			fmt.Fprint(c, sent)
			<-h.began
			_ = c.Close()
			if err := <-h.gone; !errors.Is(err, context.Canceled) {
				t.Errorf("the context ended with %v", err)
			}
			if s.passed.Load() != 0 {
				t.Error("net/http served it")
			}
		})
	}
}

// A client that waits long is served, and so is one that sends its next request meanwhile.
func TestAClientThatWaitsIsServed(t *testing.T) {
	t.Parallel()

	h := newHolder()
	s := newServer(t, true, h)
	c, in := s.dial(t)
	for range 3 {
		fmt.Fprint(c, call)
		<-h.began
		time.Sleep(30 * time.Millisecond) // long enough to be watched; nothing depends on it
		h.let <- struct{}{}
		expect(t, in, "200 done")
		fmt.Fprint(c, call)
		<-h.began
		time.Sleep(30 * time.Millisecond)
		fmt.Fprint(c, call)
		time.Sleep(30 * time.Millisecond)
		h.let <- struct{}{}
		expect(t, in, "200 done")
		<-h.began
		h.let <- struct{}{}
		expect(t, in, "200 done")
	}
	if s.passed.Load() != 0 {
		t.Error("net/http served calls")
	}
}

// closer stands for what a call has open elsewhere.
type closer chan struct{}

func (c closer) Close() error { close(c); return nil }

func TestWhatACallHasOpenIsClosedWhenItsClientLeaves(t *testing.T) {
	t.Parallel()

	began, open, kept := make(chan struct{}), make(closer), make(closer)
	inner := make(closer) // of a context that ends before the request's
	s := newServer(t, true, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if hold := stall.OnHangup(r.Context(), kept); !hold.Stop() {
			t.Error("what was not closed could not be let go")
		}
		ctx, cancel := context.WithCancel(r.Context())
		stall.OnHangup(ctx, inner)
		cancel()
		<-inner
		stall.OnHangup(r.Context(), open)
		close(began)
		<-open
	}))
	c, _ := s.dial(t)
	fmt.Fprint(c, call)
	<-began
	_ = c.Close()
	<-open
	select {
	case <-kept:
		t.Error("what was let go was closed")
	default:
	}
}

// A late Stop of an earlier call does not withdraw what the current call has open.
func TestALateStopDoesNotAffectTheNextCall(t *testing.T) {
	t.Parallel()

	var earlier stall.Hangup
	began, open := make(chan struct{}), make(closer)
	s := newServer(t, true, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == called+"a" {
			earlier = stall.OnHangup(r.Context(), make(closer))
			return
		}
		stall.OnHangup(r.Context(), open)
		if earlier.Stop() {
			t.Error("a watch of a call that has ended was stopped in time")
		}
		close(began)
		<-open
	}))
	c, in := s.dial(t)
	fmt.Fprint(c, call)
	expect(t, in, "200 ")
	fmt.Fprint(c, strings.Replace(call, "/a ", "/b ", 1))
	<-began
	_ = c.Close()
	<-open
}

// While a body arrives slowly, only its handler reads from the connection.
func TestASlowBodyArrivesWhole(t *testing.T) {
	t.Parallel()

	s := newServer(t, true, http.HandlerFunc(handler))
	c, in := s.dial(t)
	fmt.Fprint(c, "POST /api/x/a HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n")
	for _, b := range []byte("0123456789") {
		time.Sleep(15 * time.Millisecond) // longer than calls go unwatched; nothing depends on it
		_, _ = c.Write([]byte{b})
	}
	expect(t, in, "200 /api/x/a 0123456789")
}

// net/http serves a pipelined call of which it has already read a byte.
func TestACallThatNetHTTPHasStartedToRead(t *testing.T) {
	t.Parallel()

	h := newHolder()
	s := newServer(t, true, h)
	c, in := s.dial(t)
	fmt.Fprint(c, passedOn)
	<-h.began
	fmt.Fprint(c, call)
	time.Sleep(30 * time.Millisecond) // net/http reads a byte ahead
	h.let <- struct{}{}
	expect(t, in, "200 done")
	if r := <-h.began; r.Method != http.MethodGet {
		t.Errorf("the method is %q", r.Method)
	}
	h.let <- struct{}{}
	expect(t, in, "200 done")
}

// A panic ends the connection, and a truncated answer is recognizable as such.
func TestPanics(t *testing.T) {
	t.Parallel()

	s := newServer(t, true, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "part")
		_ = http.NewResponseController(w).Flush()
		panic("boom")
	}))
	c, in := s.dial(t)
	fmt.Fprint(c, call)
	res, err := http.ReadResponse(in, nil)
	if err != nil {
		t.Fatal(err)
	}
	if body, err := io.ReadAll(res.Body); string(body) != "part" || err == nil {
		t.Errorf("body = %q, %v; want a part", body, err)
	}
	if _, err := in.ReadByte(); !errors.Is(err, io.EOF) {
		t.Errorf("the connection: %v", err)
	}
}

// A shutdown lets calls end, marks their answers as the last ones, and closes idle
// connections.
func TestShutdownLetsCallsEnd(t *testing.T) {
	t.Parallel()

	h := newHolder()
	s := newServer(t, true, h)
	waiting, waitingIn := s.dial(t)
	fmt.Fprint(waiting, call)
	<-h.began
	h.let <- struct{}{}
	expect(t, waitingIn, "200 done")
	c, in := s.dial(t)
	fmt.Fprint(c, call)
	<-h.began

	s.http.RegisterOnShutdown(s.front.Drain)
	ended := make(chan error, 1)
	go func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute)
		defer cancel()
		ended <- errors.Join(s.http.Shutdown(ctx), s.front.Wait(ctx))
	}()
	if _, err := waitingIn.ReadByte(); !errors.Is(err, io.EOF) {
		t.Errorf("the connection that waits: %v", err)
	}
	select {
	case err := <-ended:
		t.Errorf("the shutdown did not wait: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	h.let <- struct{}{}
	if res := expect(t, in, "200 done"); !res.Close {
		t.Error("the last answer does not say so")
	}
	if err := <-ended; err != nil {
		t.Errorf("shutdown: %v", err)
	}
}

func TestAShutdownCutsOffWhatLasts(t *testing.T) {
	t.Parallel()

	h := newHolder()
	s := newServer(t, true, h)
	c, in := s.dial(t)
	fmt.Fprint(c, call)
	<-h.began
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s.front.Drain()
	if err := s.front.Wait(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Wait = %v", err)
	}
	<-h.gone
	if _, err := in.ReadByte(); err == nil {
		t.Error("the client got an answer")
	}
}

// Closing a server closes its idle connections, as with net/http.
func TestClosedServersLeaveNoConnections(t *testing.T) {
	t.Parallel()

	s := newServer(t, true, http.HandlerFunc(handler))
	c, in := s.dial(t)
	fmt.Fprint(c, call)
	expect(t, in, "200 /api/x/a ")
	_ = s.http.Close()
	if _, err := in.ReadByte(); err == nil {
		t.Error("the connection is open")
	}
}

// A handler's read and write deadlines do not outlive its request.
func TestDeadlinesEndWithTheirRequest(t *testing.T) {
	t.Parallel()

	var limit atomic.Int64
	s := newServer(t, true, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == called+"limited" {
			rc := http.NewResponseController(w)
			soon := time.Now().Add(time.Duration(limit.Load()))
			if err := errors.Join(rc.SetReadDeadline(soon), rc.SetWriteDeadline(soon)); err != nil {
				t.Error(err)
			}
		}
		handler(w, r)
	}))
	waittest.Within(t, "an answer after the deadlines of an earlier request", func(deadline time.Duration) error {
		limit.Store(int64(deadline))
		c, in := s.dial(t)
		defer c.Close()
		fmt.Fprint(c, call)
		expect(t, in, "200 /api/x/a ")
		fmt.Fprint(c, strings.Replace(call, "/a ", "/limited ", 1))
		if _, err := answer(in, "200 /api/x/limited "); err != nil {
			return err
		}
		time.Sleep(deadline + deadline/8) // until they would have passed
		fmt.Fprint(c, call)
		_, err := answer(in, "200 /api/x/a ")
		return err
	})
}

// The time limit for the head does not apply to the body.
func TestABodyMayComeLaterThanAHead(t *testing.T) {
	t.Parallel()

	waittest.Within(t, "the answer to a body that came later", func(limit time.Duration) error {
		s := newServer(t, true, http.HandlerFunc(handler), func(srv *http.Server) { srv.ReadHeaderTimeout = limit })
		c, in := s.dial(t)
		fmt.Fprint(c, "POST /api/x/a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nh")
		time.Sleep(limit + limit/8) // until it has passed
		fmt.Fprint(c, "i")
		_, err := answer(in, "200 /api/x/a hi")
		return err
	})
}

// A body that the handler ignores delays neither the answer nor the next request, and one that
// is too long to be drained ends the connection without a reset.
func TestUnreadBodies(t *testing.T) {
	t.Parallel()

	s := newServer(t, true, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusTeapot)
	}))
	c, in := s.dial(t)
	for _, size := range []int{1, 200 << 10, 300 << 10} {
		go func() {
			fmt.Fprintf(c, "POST /api/x/a HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", size)
			_, _ = c.Write(make([]byte, size))
		}()
		if res := expect(t, in, "418 "); res.Close != (size > 256<<10) {
			t.Errorf("%d bytes: the connection ends: %v", size, res.Close)
		}
	}
}

// A Front takes only connections of a Guard, which keeps requests apart.
func TestUnguardedConnectionsAreLeftAlone(t *testing.T) {
	t.Parallel()

	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	go func() {
		if c, err := net.Dial("tcp", ln.Addr().String()); err == nil {
			defer c.Close()
			_, _ = c.Read(make([]byte, 1))
		}
	}()
	c, err := new(front.Front).Listen(ln).Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, ok := c.(*net.TCPConn); !ok {
		t.Errorf("accepted a %T", c)
	}
}
