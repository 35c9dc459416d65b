package plugincall

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"stoa/internal/api/guard"
	"stoa/internal/base/errs"
	"stoa/internal/base/reqctx"
	"stoa/internal/testkit/waittest"
)

// authFunc is an Authenticator.
type authFunc func(ctx context.Context) (reqctx.Caller, error)

func (f authFunc) Authenticate(ctx context.Context, _ string) (reqctx.Caller, error) { return f(ctx) }

func (f authFunc) Reaffirm(ctx context.Context, _ reqctx.Caller) (reqctx.Caller, error) {
	return f(ctx)
}

// lasting makes a call with a token that lasts until its context ends, or for d.
func lasting(auth authFunc, who reqctx.Caller, d time.Duration) (took time.Duration, err error) {
	start := time.Now()
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Header.Set("Authorization", "Bearer t")
	r = r.WithContext(reqctx.WithCaller(r.Context(), who))
	h := &Handlers{Auth: auth}
	err = h.WhileCaller(func(_ http.ResponseWriter, r *http.Request) error {
		select {
		case <-r.Context().Done():
		case <-time.After(d):
		}
		return nil
	})(httptest.NewRecorder(), r)
	return time.Since(start), err
}

func TestALastingCallEndsWithinASecondOfLosingItsCaller(t *testing.T) {
	t.Parallel()
	was := reqctx.Caller{UserID: "u", Role: reqctx.RoleAdmin, SessionID: "s"}
	demoted := was
	demoted.Role = reqctx.RoleUser
	tests := []struct {
		name  string
		after reqctx.Caller
		err   error
		ends  bool
	}{
		{name: "a revoked token", err: guard.ErrUnauthorized, ends: true},
		{name: "another role", after: demoted, ends: true},
		{name: "another user", after: reqctx.Caller{UserID: "v", Role: reqctx.RoleAdmin, SessionID: "s"}, ends: true},
		{name: "a service", after: reqctx.Caller{Service: "u", Role: reqctx.RoleAdmin}, ends: true},
		{name: "the same caller", after: was},
		{name: "a database that does not answer", err: errors.New("no connection")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				const lost = 10 * time.Second
				start, checks := time.Now(), 0
				took, err := lasting(func(context.Context) (reqctx.Caller, error) {
					checks++
					if time.Since(start) < lost {
						return was, nil
					}
					return tt.after, tt.err
				}, was, time.Minute)
				if ended := took <= lost+time.Second; ended != tt.ends || tt.ends == (took == time.Minute) {
					t.Errorf("ended after %s", took)
				}
				if want := errs.Unauthenticated; tt.ends != (errs.KindOf(err) == want) {
					t.Errorf("err = %v", err)
				}
				if checks < 10 {
					t.Errorf("%d checks", checks)
				}
			})
		})
	}
}

func TestAShortCallIsNotCheckedAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var checks atomic.Int32
		auth := func(context.Context) (reqctx.Caller, error) {
			checks.Add(1)
			return reqctx.Caller{}, guard.ErrUnauthorized
		}
		if _, err := lasting(auth, reqctx.Caller{UserID: "u"}, defaultRecheck-1); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Minute) // of the bubble's clock
		if n := checks.Load(); n != 0 {
			t.Errorf("%d checks of a call that is over", n)
		}
	})
}

// A call waits for its check to end, and a check does not outlast the call.
func TestNothingIsLeftAfterACall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		running := false
		took, err := lasting(func(ctx context.Context) (reqctx.Caller, error) {
			running = true
			defer func() { running = false }()
			<-ctx.Done() // a database that hangs
			return reqctx.Caller{}, ctx.Err()
		}, reqctx.Caller{UserID: "u"}, time.Second)
		if running || took != time.Second || err != nil {
			t.Errorf("running = %v after %s, %v", running, took, err)
		}
	}) // which fails while a goroutine is left
}

// A client that does not read cannot keep a stream or an upgraded call open.
func TestARevokedClientThatDoesNotReadIsLetGo(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(http.ResponseWriter) io.Writer{
		"stream": func(w http.ResponseWriter) io.Writer { return w },
		"upgrade": func(w http.ResponseWriter) io.Writer {
			c, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				return w
			}
			return c
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			done, revoked := make(chan error, 1), make(chan struct{})
			h := &Handlers{Recheck: 10 * time.Millisecond, Auth: authFunc(func(context.Context) (reqctx.Caller, error) {
				select {
				case <-revoked:
					return reqctx.Caller{}, guard.ErrUnauthorized
				default:
					return reqctx.Caller{}, nil
				}
			})}
			call := h.WhileCaller(func(w http.ResponseWriter, _ *http.Request) error {
				to := open(w)
				var err error
				for block := make([]byte, 1<<20); err == nil; {
					_, err = to.Write(block)
				}
				done <- err
				return nil
			})
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _ = call(w, r) }))
			defer srv.Close()
			c, err := net.Dial("tcp", srv.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer t\r\n\r\n")
			if _, err := c.Read(make([]byte, 1)); err != nil { // it has begun
				t.Fatal(err)
			}
			close(revoked)
			waittest.Next(t, "the end of writing", done)
		})
	}
}
