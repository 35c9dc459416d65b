package external_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"code.dny.dev/ssrf"

	"stoa/internal/extension/plugin"
	"stoa/internal/run"
	"stoa/internal/run/external"
	"stoa/internal/testkit/logtest"
	"stoa/internal/testkit/waittest"
)

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}

// kit is a plugin, the runtime in front of it, and a server in front of both.
type kit struct {
	*external.Runtime

	in    plugin.Installed
	front *httptest.Server
	errs  chan error // what Serve returned
}

func installed(base string) plugin.Installed {
	m := plugin.Manifest{Slug: "p", RuntimeType: plugin.External, ExternalBaseURL: base}
	return plugin.Installed{Package: plugin.Package{Manifest: m}}
}

func newKit(tb testing.TB, firstByte time.Duration, h http.HandlerFunc) *kit {
	tb.Helper()
	back := httptest.NewServer(h)
	tb.Cleanup(back.Close)
	k := &kit{
		Runtime: external.New(external.Config{Log: logtest.New(tb), Allow: loopback, FirstByte: firstByte}),
		in:      installed(back.URL),
		errs:    make(chan error, 1),
	}
	tb.Cleanup(k.Close)
	k.front = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).EnableFullDuplex()
		err := k.Serve(w, r, &k.in)
		if err != nil {
			w.WriteHeader(599)
		}
		k.errs <- err
	}))
	tb.Cleanup(k.front.Close)
	return k
}

func (k *kit) do(ctx context.Context, tb testing.TB, method, target string, body io.Reader) (*http.Response, error) {
	tb.Helper()
	r, err := http.NewRequestWithContext(ctx, method, k.front.URL+target, body)
	if err != nil {
		tb.Fatal(err)
	}
	res, err := k.front.Client().Transport.RoundTrip(r)
	if err == nil {
		tb.Cleanup(func() { res.Body.Close() })
	}
	return res, err
}

// served returns what Serve returned.
func (k *kit) served(tb testing.TB) error {
	tb.Helper()
	select {
	case err := <-k.errs:
		return err
	case <-time.After(time.Minute):
		tb.Fatal("Serve does not return")
		return nil
	}
}

func TestPrivateAddressesAreRefused(t *testing.T) {
	t.Parallel()

	back := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(back.Close)
	u, _ := url.Parse(back.URL)
	tests := []struct {
		name, host string
		allow      []netip.Prefix
		refused    bool
	}{
		{"loopback", "127.0.0.1", nil, true},
		{"a name that resolves to loopback", "localhost", nil, true},
		{"loopback as an IPv6 address", "[::ffff:127.0.0.1]", nil, true},
		{"IPv6 loopback", "[::1]", nil, true},
		{"the unspecified address", "0.0.0.0", nil, true},
		{"decimal spelling", "2130706433", nil, true},
		{"private", "10.0.0.1", nil, true},
		{"private, other network allowed", "192.168.1.1", loopback, true},
		{"link-local, where clouds keep credentials", "169.254.169.254", loopback, true},
		{"unique local IPv6", "[fd00::1]", nil, true},
		{"loopback, allowed", "127.0.0.1", loopback, false},
		{"a name, allowed", "localhost", loopback, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			rt := external.New(external.Config{Log: logtest.New(t), Allow: tt.allow})
			defer rt.Close()
			rec := httptest.NewRecorder()
			in := installed("http://" + tt.host + ":" + u.Port())
			err := rt.Serve(rec, httptest.NewRequest("GET", "/", nil), &in)
			if !tt.refused {
				if err != nil || rec.Code != http.StatusNotFound {
					t.Errorf("Serve = %v, status %d; want the plugin's 404", err, rec.Code)
				}
				return
			}
			if !errors.Is(err, run.ErrUnreachable) {
				t.Errorf("Serve = %v, want ErrUnreachable", err)
			}
			if !errors.Is(err, ssrf.ErrProhibitedIP) && tt.host != "2130706433" { // not a name every resolver knows
				t.Errorf("cause = %v, want the guard's", err)
			}
		})
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()

	k := newKit(t, 0, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/a" {
			t.Errorf("followed to %s", r.URL)
		}
		http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
	})
	res, err := k.do(t.Context(), t, "GET", "/api/a", nil)
	if err != nil || res.StatusCode != http.StatusTemporaryRedirect || res.Header.Get("Location") != "/elsewhere" {
		t.Errorf("answer = %v, %v", res, err)
	}
}

func TestTargetIsSentByteForByte(t *testing.T) {
	t.Parallel()

	var got string
	k := newKit(t, 0, func(_ http.ResponseWriter, r *http.Request) { got = r.RequestURI })
	for base, prefix := range map[string]string{
		"": "", "/": "", "/base": "/base", "/base/": "/base", "/a%20b/c/": "/a%20b/c", "//x": "/x",
	} {
		in := installed(k.in.Package.Manifest.ExternalBaseURL + base)
		for _, own := range []string{
			"/api/x", "/api/%7Ea?b=%7e&c=+;d", "/api/a%20b?", "/api/%e4%BA", "/", "/api/a:b,c@d?x=http://y?z",
		} {
			u, err := url.Parse(own)
			if err != nil {
				t.Fatal(err)
			}
			r := httptest.NewRequest("GET", "/", nil)
			r.URL = u
			if err := k.Serve(httptest.NewRecorder(), r, &in); err != nil {
				t.Fatal(err)
			}
			want, err := run.Target(&in.Package.Manifest, own)
			if err != nil || got != prefix+own || got != want {
				t.Errorf("%s behind %q: sent %q, Target %q (%v)", own, base, got, want, err)
			}
		}
	}
}

func TestSlowPluginsTimeOut(t *testing.T) {
	t.Parallel()

	release := make(chan struct{})
	k := newKit(t, 50*time.Millisecond, func(_ http.ResponseWriter, _ *http.Request) { <-release })
	defer close(release)
	if _, err := k.do(t.Context(), t, "POST", "/api/x", strings.NewReader("x")); err != nil {
		t.Fatal(err)
	}
	if err := k.served(t); !errors.Is(err, run.ErrTimeout) {
		t.Errorf("Serve = %v, want ErrTimeout", err)
	}
}

// A plugin is not at fault for a slow client or a long answer.
func TestTimeLimitEndsWithTheFirstByte(t *testing.T) {
	t.Parallel()

	waittest.Within(t, "a call whose body and answer take long", func(limit time.Duration) error {
		longer := limit + limit/4
		pr, pw := io.Pipe()
		k := newKit(t, limit, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			_ = http.NewResponseController(w).Flush()
			<-time.After(longer)
			_, _ = io.WriteString(w, "done")
		})
		go func() {
			_, _ = io.WriteString(pw, "a")
			<-time.After(longer)
			_ = pw.Close()
		}()
		res, err := k.do(t.Context(), t, "POST", "/api/x", pr)
		if err != nil {
			return err
		}
		if body, err := io.ReadAll(res.Body); string(body) != "done" || err != nil {
			return fmt.Errorf("body %q, %v; Serve: %w", body, err, k.served(t)) //nolint:errorlint // err may be nil
		}
		return k.served(t)
	})
}

func TestStreamsBothWaysAtOnce(t *testing.T) {
	t.Parallel()

	k := newKit(t, 0, func(w http.ResponseWriter, r *http.Request) {
		rc := http.NewResponseController(w)
		_ = rc.EnableFullDuplex()
		_ = rc.Flush()
		lines := bufio.NewScanner(r.Body)
		for lines.Scan() {
			fmt.Fprintf(w, "echo %s\n", lines.Text())
			_ = rc.Flush()
		}
	})
	pr, pw := io.Pipe()
	res, err := k.do(t.Context(), t, "POST", "/api/x", pr)
	if err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(res.Body)
	for i := range 3 {
		fmt.Fprintf(pw, "%d\n", i)
		if line, err := in.ReadString('\n'); line != fmt.Sprintf("echo %d\n", i) || err != nil {
			t.Fatalf("line %d = %q, %v", i, line, err)
		}
	}
	_ = pw.Close()
	if _, err := in.ReadString('\n'); !errors.Is(err, io.EOF) {
		t.Errorf("at the end: %v", err)
	}
}

func TestEventsArriveWhenTheyHappen(t *testing.T) {
	t.Parallel()

	next := make(chan struct{})
	k := newKit(t, 0, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		_ = http.NewResponseController(w).Flush()
		for range next {
			_, _ = io.WriteString(w, "data: x\n\n")
			_ = http.NewResponseController(w).Flush()
		}
	})
	defer close(next)
	res, err := k.do(t.Context(), t, "GET", "/api/events", nil) // returns before the first event
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		next <- struct{}{}
		buf := make([]byte, 9)
		if _, err := io.ReadFull(res.Body, buf); err != nil || string(buf) != "data: x\n\n" {
			t.Fatalf("event = %q, %v", buf, err)
		}
	}
}

func TestClientThatLeavesCancelsTheCall(t *testing.T) {
	t.Parallel()

	arrived, cancelled := make(chan struct{}), make(chan struct{})
	k := newKit(t, 0, func(_ http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-r.Context().Done()
		close(cancelled)
	})
	ctx, leave := context.WithCancel(t.Context())
	go func() {
		<-arrived
		leave()
	}()
	if _, err := k.do(ctx, t, "GET", "/api/x", nil); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if err := k.served(t); err != nil {
		t.Errorf("Serve = %v, want nil: the client left", err)
	}
	select {
	case <-cancelled:
	case <-time.After(time.Minute):
		t.Error("the plugin's request was not canceled")
	}
}

func TestPluginThatDiesMidAnswer(t *testing.T) {
	t.Parallel()

	for name, length := range map[string]string{"of known length": "10", "of unknown length": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			k := newKit(t, 0, func(w http.ResponseWriter, _ *http.Request) {
				if length != "" {
					w.Header().Set("Content-Length", length)
				}
				_, _ = io.WriteString(w, "half")
				_ = http.NewResponseController(w).Flush()
				panic(http.ErrAbortHandler)
			})
			res, err := k.do(t.Context(), t, "GET", "/api/x", nil)
			if err != nil {
				return // not even the header was sent, so no half answer
			}
			if body, err := io.ReadAll(res.Body); err == nil {
				t.Errorf("the client took %q for the whole answer", body)
			}
		})
	}
}

func TestPluginThatIsNotThere(t *testing.T) {
	t.Parallel()

	rt := external.New(external.Config{Log: logtest.New(t), Allow: loopback})
	defer rt.Close()
	rec := httptest.NewRecorder()
	r := httptest.NewRequest("POST", "/", strings.NewReader("x"))
	in := installed("http://127.0.0.1:1")
	if err := rt.Serve(rec, r, &in); !errors.Is(err, run.ErrUnreachable) {
		t.Errorf("Serve = %v, want ErrUnreachable", err)
	}
	if rec.Body.Len() > 0 || len(rec.Header()) > 0 {
		t.Errorf("wrote %q %v although it returned an error", rec.Body, rec.Header())
	}
}

func TestAnswerHeaderIsLimited(t *testing.T) {
	t.Parallel()

	k := newKit(t, 0, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Long", strings.Repeat("x", 70<<10))
	})
	if _, err := k.do(t.Context(), t, "GET", "/api/x", nil); err != nil {
		t.Fatal(err)
	}
	if err := k.served(t); !errors.Is(err, run.ErrUnreachable) {
		t.Errorf("Serve = %v, want ErrUnreachable", err)
	}
}

func BenchmarkServe(b *testing.B) {
	back := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "ok")
	}))
	defer back.Close()
	rt := external.New(external.Config{Log: logtest.New(b), Allow: loopback})
	defer rt.Close()
	in := installed(back.URL)
	b.ReportAllocs()
	for b.Loop() {
		if err := rt.Serve(httptest.NewRecorder(), httptest.NewRequest("GET", "/api/x", nil), &in); err != nil {
			b.Fatal(err)
		}
	}
}
