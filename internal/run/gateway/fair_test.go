package gateway_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"stoa/internal/base/errs"
	"stoa/internal/base/reqctx"
	"stoa/internal/extension/plugin"
	"stoa/internal/run/gateway"
	"stoa/internal/testkit/waittest"
)

// One service that keeps hundreds of calls waiting, with and without bodies, takes no
// connection, buffer or turn from nine others.
func TestOneSlowServiceDelaysNoOther(t *testing.T) {
	t.Parallel()
	const stuck, quick, calls = 300, 9, 30
	k := newKit(t)
	release := make(chan struct{})
	var waiting atomic.Int32
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		waiting.Add(1)
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(slow.Close)
	fast := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "here") }))
	t.Cleanup(fast.Close)
	add := func(slug, base string) {
		m := plugin.Manifest{Slug: slug, RuntimeType: plugin.External, ExternalBaseURL: base}
		k.finder.list = append(k.finder.list, instance("id-of-"+slug, "default", m, ""))
	}
	add("slow", slow.URL)
	for i := range quick {
		add(fmt.Sprintf("quick%d", i), fast.URL)
	}
	call := func(slug, body string) (*httptest.ResponseRecorder, error) {
		r := httptest.NewRequest(http.MethodPost, "/api/x", strings.NewReader(body)).WithContext(
			reqctx.WithCaller(t.Context(), reqctx.Caller{}))
		w := httptest.NewRecorder()
		return w, k.Serve(w, r, gateway.Call{Slug: slug, Path: "/api/x", Caller: gateway.CallerShop})
	}
	var held sync.WaitGroup
	for i := range stuck {
		held.Go(func() { _, _ = call("slow", strings.Repeat("x", i%2*20_000+1)) })
	}
	waittest.True(t, "all that are stuck to wait", func() bool { return waiting.Load() == stuck })
	var wg sync.WaitGroup
	for i := range quick {
		wg.Go(func() {
			for range calls {
				if w, err := call(fmt.Sprintf("quick%d", i), "x"); err != nil || w.Body.String() != "here" {
					t.Errorf("plugin %d answers %q, %v", i, w.Body, err)
					return
				}
			}
		})
	}
	wg.Wait() // while all calls of the slow service wait
	if waiting.Load() != stuck {
		t.Error("the slow calls ended meanwhile")
	}
	close(release)
	held.Wait()
}

// A call beyond those that may run and wait is refused with a Retry-After. Other instances are
// not affected.
func TestCallsBeyondTheBoundAreRefused(t *testing.T) {
	t.Parallel()
	const most = 2
	k := newKit(t)
	k.finder.change(func(in *plugin.Installed) { in.Package.Settings.MaxConcurrency = most })
	running, next := make(chan string, 10), make(chan struct{})
	k.answer = func(_ http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Installation-Key") != plugin.DefaultInstance {
			return
		}
		running <- r.Header.Get("X-Number")
		<-next
	}
	var done sync.WaitGroup
	t.Cleanup(func() { close(next); done.Wait() })
	call := func(number int) error {
		r := httptest.NewRequest(http.MethodGet, "/api/x", nil)
		r.Header.Set("X-Number", fmt.Sprint(number))
		return k.Serve(httptest.NewRecorder(), r, gateway.Call{Slug: "pay", Path: "/api/x", Caller: gateway.CallerShop})
	}
	for i := range most {
		done.Go(func() { _ = call(i) })
		<-running
	}
	for range most { // as many wait
		done.Go(func() { _ = call(most) })
	}
	var refused *errs.Error
	waittest.True(t, "the refusal of one more", func() bool { err := call(most); return errors.As(err, &refused) && refused.Code == "PLUGIN_BUSY" })
	if refused.RetryAfter <= 0 {
		t.Error("the refusal does not say when to try again")
	}
	if got := code(k.do(t, "GET", "/api/x?installation=eu", nil, nil)); got != "200" {
		t.Errorf("another instance answers %s", got)
	}
}
