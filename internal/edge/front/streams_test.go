package front_test

import (
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"stoa/internal/edge/front"
)

// overHTTP2 is a request as net/http hands it over for a stream.
func overHTTP2(t *testing.T, target string) *http.Request {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, target, http.NoBody)
	r.ProtoMajor = 2
	return r
}

// goroutine returns the name of the calling goroutine.
func goroutine() string {
	stack := make([]byte, 64)
	name, _, _ := strings.Cut(string(stack[:runtime.Stack(stack, false)]), " [")
	return name
}

func TestAStreamIsServedByAGoroutineThatServedOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var served []string
		h := front.Streams(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			served = append(served, r.URL.Path+" "+goroutine())
		}))
		call := func(path string) {
			h.ServeHTTP(httptest.NewRecorder(), overHTTP2(t, path))
			synctest.Wait() // until its goroutine waits for another request
		}
		call("/")
		call("/")
		if served[0] != served[1] || served[0] == "/ "+goroutine() {
			t.Errorf("served by %q, called by %q", served, goroutine())
		}
		time.Sleep(time.Minute) // nothing comes, so the goroutine ends
		synctest.Wait()
		call("/")
		if served[2] == served[0] {
			t.Errorf("a goroutine waited for a minute")
		}
		time.Sleep(time.Minute)
	})
}

func TestStreamsAreServedAtTheSameTime(t *testing.T) {
	t.Parallel()
	const n = 20
	var all sync.WaitGroup
	all.Add(n)
	h := front.Streams(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		all.Done()
		all.Wait() // each waits for all others
		_, _ = w.Write([]byte(r.URL.Path))
	}))
	var calls sync.WaitGroup
	for i := range n {
		calls.Go(func() {
			w, path := httptest.NewRecorder(), "/"+strconv.Itoa(i)
			h.ServeHTTP(w, overHTTP2(t, path))
			if got := w.Body.String(); got != path {
				t.Errorf("got %q, want %q", got, path)
			}
		})
	}
	calls.Wait()
}

// The server ends a stream whose handler panics with http.ErrAbortHandler.
func TestAPanicReachesTheServerOfTheStream(t *testing.T) {
	t.Parallel()
	h := front.Streams(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/abort" {
			panic(http.ErrAbortHandler)
		}
	}))
	call := func(path string) (p any) {
		defer func() { p = recover() }()
		h.ServeHTTP(httptest.NewRecorder(), overHTTP2(t, path))
		return nil
	}
	for _, path := range []string{"/abort", "/fine", "/abort", "/fine"} {
		want := any(nil)
		if path == "/abort" {
			want = http.ErrAbortHandler
		}
		if got := call(path); got != want {
			t.Errorf("%s: panicked with %v, want %v", path, got, want)
		}
	}
}

func TestOtherRequestsStayOnTheirGoroutine(t *testing.T) {
	t.Parallel()
	var got string
	h := front.Streams(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { got = goroutine() }))
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody))
	if want := goroutine(); got != want {
		t.Errorf("served by %q, called by %q", got, want)
	}
}
