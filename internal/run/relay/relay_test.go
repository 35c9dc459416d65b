package relay_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/textproto"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/run"
	"stoa/internal/run/relay"
)

func TestFailuresSayWhatHappened(t *testing.T) {
	t.Parallel()

	refused, cut := closedPort(t), rawPlugin(t, "")
	garbage, unasked := rawPlugin(t, "what?\r\n\r\n"), rawPlugin(t, "HTTP/1.1 101 Switching Protocols\r\n\r\n")
	tests := []struct {
		name                               string
		up                                 relay.Upstream
		method, body                       string
		answered, noConnection, repeatable bool
	}{
		{"a closed port", refused, "GET", "", false, true, true},
		{"a closed port, unsafe", refused, "POST", "", false, true, true},
		{"a closed port, with a body that was not read", refused, "POST", "body", false, true, true},
		{"cut off", cut, "GET", "", false, false, false},
		{"cut off, HEAD", cut, "HEAD", "", false, false, false},
		{"cut off, OPTIONS", cut, "OPTIONS", "", false, false, false},
		{"cut off, unsafe", cut, "POST", "", false, false, false},
		{"cut off, with a body that was read", cut, "GET", "body", false, false, false},
		{"not HTTP", garbage, "GET", "", true, false, false},
		{"not HTTP, with a body", garbage, "POST", "body", true, false, false},
		{"switched protocols without being asked", unasked, "POST", "", true, false, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			rec := httptest.NewRecorder()
			call := relay.NewCall(rec, request(t, tt.method, tt.body))
			defer call.End()
			err := call.Pass(tt.up)
			failed, ok := errors.AsType[*relay.Failure](err)
			if !ok {
				t.Fatalf("Pass = %v, want a Failure", err)
			}
			got := []bool{failed.Answered, failed.NoConnection, failed.Repeatable}
			if want := []bool{tt.answered, tt.noConnection, tt.repeatable}; !slices.Equal(got, want) {
				t.Errorf("answered, no connection, repeatable = %t, want %t: %v", got, want, failed)
			}
			if rec.Body.Len() > 0 || len(rec.Header()) > 0 {
				t.Errorf("wrote %q %v although it failed", rec.Body, rec.Header())
			}
		})
	}
}

func TestARepeatedRequestIsWhole(t *testing.T) {
	t.Parallel()

	up := plugin(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) })
	rec := httptest.NewRecorder()
	call := relay.NewCall(rec, request(t, "POST", "body"))
	defer call.End()
	if err := call.Pass(closedPort(t)); err == nil {
		t.Fatal("Pass = nil, want an error")
	}
	if err := call.Pass(up); err != nil || rec.Body.String() != "body" {
		t.Errorf("again: %v, answer %q; want the request's body", err, rec.Body)
	}
}

// sender is a transport whose sending the test defines. It never gets an answer.
type sender func(out *http.Request)

var errGone = errors.New("gone")

func (f sender) RoundTrip(out *http.Request) (*http.Response, error) {
	f(out)
	return nil, errGone
}

func (f sender) upstream() relay.Upstream {
	return relay.Upstream{Transport: f, Scheme: "http", Addr: "plugin", Target: "/api/x", FirstByte: time.Minute}
}

// watched is a body that knows whether it was closed.
type watched struct {
	io.Reader

	closed bool
}

func (w *watched) Close() error {
	w.closed = true
	return nil
}

func TestTheBodyIsNotReadAfterEnd(t *testing.T) {
	t.Parallel()

	for _, touched := range []bool{false, true} {
		body := &watched{Reader: strings.NewReader("body")}
		r := request(t, "POST", "body")
		r.Body = body
		call := relay.NewCall(httptest.NewRecorder(), r)
		var kept io.ReadCloser
		err := call.Pass(sender(func(out *http.Request) {
			kept = out.Body
			if touched {
				_, _ = kept.Read(make([]byte, 1))
			}
			_ = kept.Close()
		}).upstream())
		if !errors.Is(err, errGone) || body.closed {
			t.Errorf("read %t: Pass = %v, closed %t; the body may be needed again", touched, err, body.closed)
		}
		call.End()
		if n, err := kept.Read(make([]byte, 4)); n > 0 || !errors.Is(err, http.ErrBodyReadAfterClose) {
			t.Errorf("read %t: a later Read = %d, %v", touched, n, err)
		}
		if body.closed != touched {
			t.Errorf("read %t: closed %t", touched, body.closed)
		}
	}
}

// failing is a body that breaks off.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
func (f failing) Close() error             { return nil }

func TestAnUploadThatFailsIsNotThePluginsFault(t *testing.T) {
	t.Parallel()

	up := plugin(t, func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) })
	for broke, tooLarge := range map[error]bool{
		io.ErrUnexpectedEOF:           false, // the client may be gone, or still be there
		&http.MaxBytesError{Limit: 1}: true,
	} {
		r := request(t, "POST", "body")
		r.Body, r.GetBody = failing{broke}, nil
		call := relay.NewCall(httptest.NewRecorder(), r)
		err := call.Pass(up)
		call.End()
		_, failed := errors.AsType[*relay.Failure](err)
		if failed || !errors.Is(err, broke) || tooLarge == errors.Is(err, run.ErrCutShort) {
			t.Errorf("a body that breaks off with %q: Pass = %v", broke, err)
		}
	}
}

// A transport sends a request again when its connection was closed before
// anything arrived.
func TestATransportCanSendTheBodyAgain(t *testing.T) {
	t.Parallel()

	call := relay.NewCall(httptest.NewRecorder(), request(t, "POST", "body"))
	defer call.End()
	err := call.Pass(sender(func(out *http.Request) {
		_, _ = io.CopyN(io.Discard, out.Body, 2)
		_ = out.Body.Close()
		again, err := out.GetBody()
		if err != nil {
			t.Error(err)
			return
		}
		defer again.Close()
		if text, err := io.ReadAll(again); string(text) != "body" || err != nil {
			t.Errorf("again: %q, %v", text, err)
		}
	}).upstream())
	if !errors.Is(err, errGone) {
		t.Errorf("Pass = %v", err)
	}
}

func TestAnAnswerOfKnownLengthIsNotHeldBack(t *testing.T) {
	t.Parallel()

	release := make(chan struct{})
	srv := front(t, plugin(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "4")
		_, _ = io.WriteString(w, "ha")
		_ = http.NewResponseController(w).Flush()
		<-release
		_, _ = io.WriteString(w, "lf")
	}))
	res, err := srv.Client().Get(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	half := make([]byte, 2)
	if _, err := io.ReadFull(res.Body, half); err != nil || string(half) != "ha" {
		t.Fatalf("first half = %q, %v", half, err)
	}
	close(release)
	if rest, err := io.ReadAll(res.Body); string(rest) != "lf" || err != nil || res.ContentLength != 4 {
		t.Errorf("rest = %q, %v, length %d", rest, err, res.ContentLength)
	}
}

func TestEarlyAnswersLeaveNoHeadersBehind(t *testing.T) {
	t.Parallel()

	srv := front(t, plugin(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Link", "</style.css>; rel=preload")
		w.WriteHeader(http.StatusEarlyHints)
		w.Header().Del("Link")
		_, _ = io.WriteString(w, "done")
	}))
	var early textproto.MIMEHeader
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
		Got1xxResponse: func(_ int, h textproto.MIMEHeader) error { early = h; return nil },
	})
	r, _ := http.NewRequestWithContext(ctx, http.MethodGet, srv.URL, nil)
	res, err := srv.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if early.Get("Link") == "" {
		t.Errorf("early = %v, want the plugin's Link", early)
	}
	if res.Header.Get("Link") != "" || res.Header.Get("X-Request-Id") != "req-1" {
		t.Errorf("header = %v, want the platform's and no Link", res.Header)
	}
}

// broken is a client that is gone.
type broken struct{ *httptest.ResponseRecorder }

func (broken) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestAClientThatLeavesDuringTheAnswerIsNoFailure(t *testing.T) {
	t.Parallel()

	up := plugin(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "answer") })
	call := relay.NewCall(broken{httptest.NewRecorder()}, request(t, "GET", ""))
	defer call.End()
	if err := call.Pass(up); err != nil {
		t.Errorf("Pass = %v, want nil", err)
	}
}

func TestARequestLosesOnlyTheHeadersOfItsConnection(t *testing.T) {
	t.Parallel()

	arrived := make(chan *http.Request, 1)
	up := plugin(t, func(_ http.ResponseWriter, r *http.Request) { arrived <- r })
	for host, want := range map[string]string{"": "shop.example.com", "plugin.example.com": "plugin.example.com"} {
		r := request(t, "GET", "")
		r.Host, r.Header = "shop.example.com", http.Header{
			"Connection": {"X-Caller"}, "Keep-Alive": {"9"}, "Proxy-Connection": {"x"}, "Te": {"trailers"},
			"Upgrade":  {"h2c"},
			"X-Caller": {"shop"}, "X-User-Id": {""},
		}
		up.Host = host
		call := relay.NewCall(httptest.NewRecorder(), r)
		if err := call.Pass(up); err != nil {
			t.Fatal(err)
		}
		call.End()
		got := <-arrived
		diff := cmp.Diff(http.Header{"X-Caller": {"shop"}, "X-User-Id": {""}}, got.Header)
		if diff != "" || got.Host != want {
			t.Errorf("host %q, want %q; header (-want +got):\n%s", got.Host, want, diff)
		}
	}
}

func TestTrailersPassAndWithheldOnesAreNotAnnounced(t *testing.T) {
	t.Parallel()

	srv := front(t, plugin(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Trailer", "X-Sum, Set-Cookie")
		_, _ = io.WriteString(w, "hello")
		w.Header().Set("X-Sum", "5")
		w.Header().Set(http.TrailerPrefix+"X-Late", "1")
	}))
	res, err := srv.Client().Get(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if diff := cmp.Diff(http.Header{"X-Sum": nil}, res.Trailer); diff != "" {
		t.Errorf("announced (-want +got):\n%s", diff)
	}
	if body, err := io.ReadAll(res.Body); string(body) != "hello" || err != nil {
		t.Errorf("body = %q, %v", body, err)
	}
	if diff := cmp.Diff(http.Header{"X-Sum": {"5"}, "X-Late": {"1"}}, res.Trailer); diff != "" {
		t.Errorf("trailers (-want +got):\n%s", diff)
	}
}
