package relay

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/textproto"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"stoa/internal/edge/http1"
	"stoa/internal/edge/stall"
)

// smallBody is the largest body, in bytes, that is written together with the head. The kernel
// buffers that much even if the plugin reads nothing, so writing does not block, and an answer
// that comes before the plugin has read the request is still read.
const smallBody = 16 << 10

// plainPool returns the connection pool for a request that can be sent on this goroutine. It
// returns nil for other requests: over TLS, with an upgrade and a body, or to a host that is not
// ASCII, which net/http encodes.
func (c *Call) plainPool(up Upstream) *http1.Pool {
	t, ok := up.Transport.(*Transport)
	if !ok || up.Scheme != "http" || !isASCII(up.Addr) || !isASCII(up.Host+c.r.Host) ||
		c.upload != nil && upgradeType(c.r.Header) != "" {
		return nil
	}
	return t.plain
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// plain is Pass on this goroutine: it writes the request, reads the answer and copies it to the
// client. Only a body of more than smallBody bytes is written by another goroutine, because
// plugins may answer while they read.
func (c *Call) plain(pool *http1.Pool, up Upstream) (err error) {
	begin := time.Now()
	for attempt := 0; ; {
		x := exchanges.Get().(*exchange) //nolint:forcetypeassert // nothing else is put there
		x.c, x.up, x.slowAt = c, up, begin.Add(up.FirstByte)
		again, err := x.run(pool)
		if !errors.Is(err, http1.ErrStale) { // stale connections run out with the pool
			attempt++
		}
		c.seen = c.seen || !x.unseen
		if again = again && attempt <= maxStale; err != nil && !again {
			err = c.explain(err, x.slow.Load(), x.touched)
		}
		c.reportSpent(!again && !c.lent) // each time: an earlier Pass may have reported otherwise
		if x.written == nil {            // else the goroutine that writes the body may still use x
			x.reset()
			exchanges.Put(x)
		}
		if !again {
			return err
		}
	}
}

// reportSpent calls the Spent method of the ResponseWriter, if it has one, so that the gateway
// knows whether anything still uses the request or the writer after this Pass, or their memory
// can be reused.
func (c *Call) reportSpent(is bool) {
	if w, ok := c.w.(interface{ Spent(is bool) }); ok {
		w.Spent(is)
	}
}

// exchanges are pooled, because they are large.
var exchanges = sync.Pool{New: func() any { return new(exchange) }}

// maxStale is how many reused connections in a row may turn out to be closed.
const maxStale = 3

// exchange is one attempt to send a request and to pass on the answer.
type exchange struct {
	c      *Call
	up     Upstream
	slowAt time.Time
	slow   atomic.Bool // the answer did not begin in time

	conn    *http1.Conn
	touched bool   // some of an answer arrived
	unseen  bool   // the attempt failed, and the plugin has read nothing of the request
	watch   *watch // for a body that another goroutine writes; else nil

	written  chan struct{} // closed when the goroutine that writes the body is done; nil without one
	writeErr error         // of that goroutine

	answer http1.Answer
	res    http.Response
	body   answerBody
}

// reset zeroes x, field by field, because slow must not be copied.
func (x *exchange) reset() {
	x.c, x.up, x.slowAt = nil, Upstream{}, time.Time{}
	x.slow.Store(false)
	x.conn, x.touched, x.unseen, x.watch, x.written, x.writeErr = nil, false, false, nil, nil, nil
	x.answer, x.res, x.body = http1.Answer{}, http.Response{}, answerBody{}
}

// run makes the attempt. again means that the plugin had closed a reused connection and has seen
// nothing of the request, so another attempt is allowed. Even a GET that it may have read is not
// sent again: it may be what made the plugin close the connection.
func (x *exchange) run(pool *http1.Pool) (again bool, err error) {
	ctx := x.c.r.Context()
	if err := x.connect(ctx, pool); err != nil {
		x.unseen = true
		return false, err
	}
	gone := stall.OnHangup(ctx, x.conn) // if the client leaves, stop waiting for the plugin
	released := false
	defer func() {
		if gone.Stop(); !released {
			_ = x.conn.Close()
		}
	}()
	wrote, failed := x.write()
	err = failed
	if failed == nil || isClosed(failed) && (wrote > 0 || !x.conn.Reused()) {
		err = x.read(failed) // the answer may explain why the plugin stopped reading
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		x.slow.Store(true)
	}
	if x.touched = x.conn.Touched(); err != nil {
		if ctx.Err() != nil {
			x.uploaded() // explain asks whether it was, which the uploading goroutine may be about to note
		}
		x.unseen = x.written == nil && (wrote == 0 || failed == nil && x.conn.Unread(err, wrote))
		return !x.touched && x.conn.Reused() && ctx.Err() == nil && x.written == nil &&
			x.unseen && isClosed(err), err
	}
	if x.answer.Status == http.StatusSwitchingProtocols {
		return false, x.switchProtocols()
	}
	x.body = answerBody{x.conn.Body(&x.answer), x}
	x.res = http.Response{
		StatusCode: x.answer.Status, Header: x.answer.Header, ContentLength: x.answer.Length,
		Trailer: x.answer.Trailer, Body: &x.body,
	}
	x.c.pass(&x.res)
	if failed == nil && x.body.Ended() && x.uploaded() && gone.Stop() {
		released = true
		x.conn.Release(&x.answer, &x.body.Body)
	}
	return false, nil
}

// connect gets a connection. Connecting counts toward the time for the answer.
func (x *exchange) connect(ctx context.Context, pool *http1.Pool) (err error) {
	addr := x.up.addr()
	if x.conn = pool.Reuse(addr); x.conn == nil {
		ctx, cancel := context.WithDeadlineCause(ctx, x.slowAt, errSlow)
		defer cancel()
		if x.conn, err = pool.Dial(ctx, addr); err != nil {
			// The dialer has its own timer, which may fire before the context's.
			x.slow.Store(errors.Is(context.Cause(ctx), errSlow) || !time.Now().Before(x.slowAt))
			return err
		}
	}
	return x.conn.SetDeadline(x.slowAt)
}

// addr returns the address with a port.
func (up Upstream) addr() string {
	if i := strings.LastIndexByte(up.Addr, ':'); i < 0 || strings.HasSuffix(up.Addr, "]") {
		return up.Addr + ":80"
	}
	return up.Addr
}

// requests pools buffers for the head and the small body of a request. A request may hold one
// until its answer begins.
var requests = sync.Pool{New: func() any { b := make([]byte, 0, 4<<10); return &b }}

// write writes the request, or starts to if another goroutine writes the body. It returns how
// many bytes were written.
func (x *exchange) write() (int, error) {
	r, length := x.c.r, int64(http1.NoBody)
	host := cmp.Or(x.up.Host, r.Host, x.up.Addr)
	if x.c.upload != nil {
		if length = r.ContentLength; length < 0 {
			length = http1.Chunked
		}
	}
	pooled := requests.Get().(*[]byte)
	defer requests.Put(pooled)
	b, err := http1.AppendRequest((*pooled)[:0], r.Method, x.up.Target, host, r.Header, length)
	*pooled = b
	if err != nil {
		return 0, err
	}
	if length >= 0 && length <= smallBody {
		if b, err = x.appendBody(b, int(length)); err != nil {
			return 0, err
		}
		*pooled = b
	}
	whole := length <= smallBody && length != http1.Chunked
	n, err := x.conn.Send(b, whole)
	switch {
	case err != nil:
		return n, err
	case !whole:
		x.upload()
	default:
		x.c.sent.Store(true)
	}
	return n, nil
}

// appendBody appends the whole body, and keeps it for another attempt.
func (x *exchange) appendBody(b []byte, length int) ([]byte, error) {
	up := x.c.upload
	if up.small == nil {
		small := make([]byte, length)
		if _, err := io.ReadFull(up.reader(nil), small); err != nil {
			return b, err
		}
		up.small = small
	}
	// Time spent waiting for the client does not count.
	x.slowAt = time.Now().Add(x.up.FirstByte)
	return append(b, up.small...), x.conn.SetDeadline(x.slowAt)
}

// afterFailedWrite is how long to wait for an answer when the request could not be written to its
// end: the answer may explain why.
const afterFailedWrite = 50 * time.Millisecond

// read reads the head of the answer and passes on early answers. wrote is the error of writing the
// request, if any; read returns it unless there is an answer.
func (x *exchange) read(wrote error) error {
	if wrote != nil {
		_ = x.conn.SetReadDeadline(time.Now().Add(afterFailedWrite))
	}
	if x.watch != nil {
		defer x.watch.stop()
	}
	for {
		a, err := x.conn.ReadAnswer(x.c.r.Method)
		switch {
		case err != nil && wrote != nil:
			return wrote
		case err != nil:
			return err
		case a.Status == http.StatusSwitchingProtocols:
			if upgradeType(x.c.r.Header) == "" {
				return errUnasked
			}
			x.answer = a
			return nil
		case a.Status < http.StatusOK:
			_ = (&earlyAnswers{w: x.c.w}).pass(a.Status, textproto.MIMEHeader(a.Header))
			continue
		}
		if err := checkType(a.Header); err != nil {
			return err
		}
		x.answer = a
		if x.conn.Arrived(&a) {
			return nil // nothing is left to read
		}
		return x.conn.SetReadDeadline(time.Time{}) // a stream may last
	}
}

// isClosed reports whether err means that the plugin has closed the connection.
func isClosed(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, http1.ErrStale) || errors.Is(err, net.ErrClosed) ||
		errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET)
}
