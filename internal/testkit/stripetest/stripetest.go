// Package stripetest gives tests a Stripe: a real stripe-mock, which checks every request
// against Stripe's own description of its API, behind a server that records the requests
// and lets the test choose the answers.
package stripetest

import (
	"bufio"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa/internal/testkit/needtest"
	"stoa/internal/testkit/proctest"
)

// Keys of a test's account.
const (
	SecretKey     = "sk_test_123"
	WebhookSecret = "whsec_test_secret"
)

// Request is a request to Stripe.
type Request struct {
	Method, Path   string
	Form           url.Values
	IdempotencyKey string
}

// Answer replaces the example with which stripe-mock answers.
type Answer struct {
	Status int // 200 if zero
	Body   any // as JSON
}

// Server is the Stripe of one test.
type Server struct {
	URL string

	mock *url.URL

	mu       sync.Mutex
	requests []Request
	answer   func(Request) *Answer
}

// New starts a Stripe that ends with the test. If stripe-mock is not installed, the test
// is skipped, or fails in CI.
func New(tb testing.TB) *Server {
	tb.Helper()
	s := &Server{mock: startMock(tb)}
	srv := httptest.NewServer(s)
	tb.Cleanup(srv.Close)
	s.URL = srv.URL
	return s
}

// Answer makes fn answer the requests that stripe-mock accepts. If fn returns nil,
// stripe-mock's example is the answer.
func (s *Server) Answer(fn func(Request) *Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = fn
}

// Answering returns what answers requests.
func (s *Server) Answering() func(Request) *Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.answer
}

// Requests returns all requests to a path since the start.
func (s *Server) Requests(path string) []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []Request
	for _, r := range s.requests {
		if r.Path == path {
			found = append(found, r)
		}
	}
	return found
}

// ServeHTTP passes a request on to stripe-mock.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	status, body, got, err := s.ask(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	s.mu.Lock()
	s.requests = append(s.requests, got)
	answer := s.answer
	s.mu.Unlock()
	if answer != nil && status == http.StatusOK {
		if a := answer(got); a != nil {
			status = max(a.Status, http.StatusOK)
			body, _ = json.Marshal(a.Body)
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

func (s *Server) ask(r *http.Request) (status int, body []byte, got Request, err error) {
	sent, err := io.ReadAll(r.Body)
	if err != nil {
		return 0, nil, got, err
	}
	got = Request{Method: r.Method, Path: r.URL.Path, Form: r.URL.Query(), IdempotencyKey: r.Header.Get("Idempotency-Key")}
	form, err := url.ParseQuery(string(sent))
	if err != nil {
		return 0, nil, got, err
	}
	maps.Copy(got.Form, form)
	target := s.mock.JoinPath(r.URL.Path)
	target.RawQuery = r.URL.RawQuery
	req, err := http.NewRequestWithContext(r.Context(), r.Method, target.String(), strings.NewReader(string(sent)))
	if err != nil {
		return 0, nil, got, err
	}
	req.Header = r.Header.Clone()
	res, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(req)
	if err != nil {
		return 0, nil, got, err
	}
	defer res.Body.Close()
	body, err = io.ReadAll(res.Body)
	return res.StatusCode, body, got, err
}

// mock returns the address of the stripe-mock that all tests of a program share: it has no state,
// and takes a quarter of a second of the processor to start. It ends with the program.
var mock = sync.OnceValues(func() (*url.URL, error) {
	cmd := exec.CommandContext(context.Background(), find(), "-http-addr", "127.0.0.1:0", "-https-addr", "127.0.0.1:0")
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	address := make(chan string, 1)
	follow := func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if _, at, is := strings.Cut(lines.Text(), "Listening for HTTP at address: "); is {
				address <- at
			}
		}
	}
	if _, err := proctest.Start(cmd, follow); err != nil {
		return nil, err
	}
	select {
	case at := <-address:
		return &url.URL{Scheme: "http", Host: at}, nil
	case <-time.After(2 * time.Minute):
		return nil, errors.Join(errors.New("stripetest: stripe-mock does not start"), cmd.Process.Kill())
	}
})

// startMock returns the address of a running stripe-mock.
func startMock(tb testing.TB) *url.URL {
	tb.Helper()
	if find() == "" {
		needtest.Lacks(tb, "stripe-mock is not installed (scripts/test-deps installs it)")
	}
	at, err := mock()
	if err != nil {
		tb.Fatal(err)
	}
	return at
}

// find returns the path of stripe-mock, from PATH or the folder of go install, or "".
func find() string {
	if path, err := exec.LookPath("stripe-mock"); err == nil {
		return path
	}
	for _, dir := range []string{
		os.Getenv("GOBIN"), filepath.Join(os.Getenv("GOPATH"), "bin"),
		filepath.Join(os.Getenv("HOME"), "go", "bin"),
	} {
		path := filepath.Join(dir, "stripe-mock")
		if info, err := os.Stat(path); err == nil && !info.IsDir() && filepath.IsAbs(path) {
			return path
		}
	}
	return ""
}

// Sign returns the Stripe-Signature of a payload, following Stripe's documentation: an
// HMAC of the time in seconds, a dot and the payload.
func Sign(payload []byte, secret string, at time.Time) string {
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "%d.", at.Unix())
	mac.Write(payload)
	return fmt.Sprintf("t=%d,v1=%s", at.Unix(), hex.EncodeToString(mac.Sum(nil)))
}

// Event returns an event as Stripe sends it.
func Event(id, kind string, at time.Time, object map[string]any) []byte {
	payload, err := json.Marshal(map[string]any{
		"id": id, "object": "event", "type": kind, "created": at.Unix(), "api_version": "2026-03-25.dahlia",
		"livemode":         false,
		"pending_webhooks": 1, "data": map[string]any{"object": object},
	})
	if err != nil {
		panic(err) // tests pass valid values
	}
	return payload
}
