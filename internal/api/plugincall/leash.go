package plugincall

import (
	"bufio"
	"cmp"
	"context"
	"net"
	"net/http"
	"sync"
	"time"

	"stoa/internal/api/guard"
	"stoa/internal/api/web"
	"stoa/internal/base/background"
	"stoa/internal/base/errs"
	"stoa/internal/base/reqctx"
	"stoa/internal/edge/splice"
)

// defaultRecheck is how often the caller of a lasting call to a plugin is authenticated again. A
// revocation takes effect within 1 s (contract 2.6); the rest of the second is for the look-up and for
// ending the call.
const defaultRecheck = 750 * time.Millisecond

// recheckTimeout bounds one such look-up.
const recheckTimeout = 5 * time.Second

// WhileCaller ends a call, even an upgraded one, when its token is no longer valid or belongs to another
// caller than when the call began. A failed look-up does not end the call.
func (h *Handlers) WhileCaller(next web.HandlerFunc) web.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		token, ok := guard.Bearer(r)
		if !ok {
			return next(w, r)
		}
		ctx, cancel := context.WithCancel(r.Context())
		l := &leash{
			ResponseWriter: w, auth: h.Auth, token: token,
			who: reqctx.CallerFrom(ctx), every: cmp.Or(h.Recheck, defaultRecheck),
			ctx: ctx, cancel: cancel,
		}
		watch := background.NewWatch(l.every, l.check)
		defer watch.Stop()
		defer cancel() // of a running check, too
		err := next(l, r.WithContext(ctx))
		return l.explain(err)
	}
}

// leash is the http.ResponseWriter of a call whose caller may lose access before
// the answer is complete.
type leash struct {
	http.ResponseWriter

	auth   guard.Authenticator
	token  string
	who    reqctx.Caller
	every  time.Duration
	ctx    context.Context //nolint:containedctx // the call's own
	cancel context.CancelFunc

	mu      sync.Mutex // guards what follows
	began   bool       // a status was sent, or the connection hijacked
	conn    net.Conn   // of an upgraded call
	revoked error      // why the call was ended; else nil
}

// check is a look of a background.Watch.
func (l *leash) check() (next time.Duration) {
	ctx, cancel := context.WithTimeout(l.ctx, recheckTimeout)
	defer cancel()
	switch who, err := l.auth.Authenticate(ctx, l.token); {
	case errs.KindOf(err) == errs.Unauthenticated:
		l.revoke(err)
	case err == nil && who != l.who:
		l.revoke(guard.ErrUnauthorized)
	default:
		return l.every
	}
	return 0
}

// revoke ends the call on both sides, even if it is blocked on a client that does not read.
func (l *leash) revoke(why error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.revoked = why
	l.cancel()
	switch {
	case l.conn != nil:
		_ = l.conn.Close()
	case l.began:
		l.stopWriting()
	}
}

func (l *leash) stopWriting() {
	// Some writers have no deadline, and need none.
	_ = http.NewResponseController(l.ResponseWriter).SetWriteDeadline(time.Unix(1, 0))
}

// explain returns the error of a call whose handler returned err: the reason of a revocation, if there
// was one. It panics with http.ErrAbortHandler if an answer was cut short, so that the client does not
// take a part for the whole.
func (l *leash) explain(err error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.revoked == nil || l.conn != nil:
		return err
	case l.began:
		panic(http.ErrAbortHandler)
	}
	return l.revoked
}

// begin records that the answer has begun.
func (l *leash) begin() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.revoked != nil { // each time: whoever limits a write may have set another deadline since
		l.stopWriting()
	}
	l.began = true
}

// WriteHeader implements http.ResponseWriter.
func (l *leash) WriteHeader(status int) {
	if status >= http.StatusOK {
		l.begin()
	}
	l.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (l *leash) Write(b []byte) (int, error) {
	l.begin()
	return l.ResponseWriter.Write(b)
}

// TakeFrom implements splice.Taker.
func (l *leash) TakeFrom(s *splice.Source, most int64) (int64, error) {
	l.begin()
	return splice.Take(l.ResponseWriter, s, most)
}

var _ splice.Taker = (*leash)(nil)

// Hijack implements http.Hijacker.
func (l *leash) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.revoked != nil {
		return nil, nil, l.revoked
	}
	conn, rw, err := http.NewResponseController(l.ResponseWriter).Hijack()
	if err == nil {
		l.began, l.conn = true, conn
	}
	return conn, rw, err
}

// Unwrap lets http.ResponseController reach Flush and the deadlines.
func (l *leash) Unwrap() http.ResponseWriter { return l.ResponseWriter }
