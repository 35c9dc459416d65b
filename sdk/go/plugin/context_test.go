package plugin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
)

// serve answers a request behind a verifier.
func serve(r *http.Request, v *Verifier, h http.HandlerFunc) *httptest.ResponseRecorder {
	rec := httptest.NewRecorder()
	v.Handler(h).ServeHTTP(rec, r)
	return rec
}

func TestTheContextIsWhatWasSigned(t *testing.T) {
	t.Parallel()

	ends := now.UTC()
	sent := TestRequest{
		Secret: secret, Method: http.MethodPost, Target: "/base/api/a%2Fb?x=%20y", Body: []byte("body"), Now: now,
		Config: map[string]any{"greeting": "Grüezi"},
		Context: Context{
			Slug: "visits", InstallationID: "i-1", InstallationKey: "eu", Permissions: []string{"a", "b"},
			UserID: "Ada Ü", Impersonator: "sam", Role: RoleCustomer, Caller: "admin", Locale: "de-CH", RequestID: "r-1",
			ClientIP: "192.0.2.1", ClientProtocol: "https", ClientHost: "shop.example", PlatformID: "p-1",
			License:         &PackageLicense{State: "grace", Tier: "pro", Features: []string{"süß"}, ExpiresAt: &ends, Trial: true},
			PlatformVersion: "2.0.0", Platform: &Platform{BaseURL: "http://platform.example", Token: "token"},
		},
	}
	var got *Context
	var config struct{ Greeting string }
	h := func(_ http.ResponseWriter, r *http.Request) {
		got = FromContext(r.Context())
		if err := got.Config(r.Context(), &config); err != nil {
			t.Error(err)
		}
	}
	if rec := serve(SignedRequest(sent), verifier(), h); rec.Code != http.StatusOK || got == nil {
		t.Fatalf("the handler answers %d, %+v", rec.Code, got)
	}
	if config.Greeting != "Grüezi" || !got.Can("b") || got.Can("c") {
		t.Errorf("config = %+v, permissions %q", config, got.Permissions)
	}
	got.config, got.configs = nil, nil
	if !reflect.DeepEqual(*got, sent.Context) {
		t.Errorf("the context is\n%+v, want\n%+v", *got, sent.Context)
	}
	if FromContext(context.Background()) != nil {
		t.Error("FromContext finds a context where nobody put one")
	}
}

func TestSignedRequestsAreGuestsUnlessToldOtherwise(t *testing.T) {
	t.Parallel()

	r := SignedRequest(TestRequest{Secret: secret, Now: now})
	c, err := verifier().Read(r)
	if err != nil || c.Role != RoleGuest || c.UserID != "" || c.Can("") {
		t.Errorf("Read = %+v, %v", c, err)
	}
	for name, r := range map[string]*http.Request{
		"another secret": SignedRequest(TestRequest{Secret: "guessed", Now: now}),
		"another time":   SignedRequest(TestRequest{Secret: secret, Now: now.Add(2 * Tolerance)}),
	} {
		if c, err := verifier().Read(r); err == nil {
			t.Errorf("%s: Read = %+v", name, c)
		}
	}
	r = SignedRequest(TestRequest{Secret: secret, Now: now, Header: http.Header{"X-Plugin-Config": {"%"}}})
	if _, err := verifier().Read(r); err == nil {
		t.Error("Read accepts a config that is not Base64URL")
	}
}

func TestALargeConfigIsFetchedOnce(t *testing.T) {
	t.Parallel()

	asked := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		if r.RequestURI != "/api/v1/platform/config" || r.Header.Get("Authorization") != "Bearer token" {
			t.Errorf("the platform is asked for %s by %s", r.RequestURI, r.Header.Get("Authorization"))
		}
		w.Header().Set("ETag", []string{"", `"one"`, `"two"`}[asked])
		fmt.Fprint(w, `{"success":true,"data":{"config":{"greeting":"Hi"}}}`)
	}))
	defer srv.Close()
	v := verifier()
	for _, digest := range []string{"one", "one", "two"} {
		if got := greeting(t, v, srv.URL, digest); got != "Hi" {
			t.Errorf("config = %q", got)
		}
	}
	if asked != 2 {
		t.Errorf("the platform was asked %d times, want once for each version", asked)
	}
}

// greeting is what a plugin reads in its config, of which the request has that digest.
func greeting(t *testing.T, v *Verifier, platform, digest string) string {
	t.Helper()
	r := SignedRequest(TestRequest{
		Secret: secret, Now: now, Context: Context{Platform: &Platform{BaseURL: platform, Token: "token"}},
		Header: http.Header{"X-Plugin-Config": {""}, "X-Plugin-Config-Digest": {digest}},
	})
	var config struct{ Greeting string }
	serve(r, v, func(_ http.ResponseWriter, r *http.Request) {
		if err := FromContext(r.Context()).Config(r.Context(), &config); err != nil {
			t.Errorf("Config = %v", err)
		}
	})
	return config.Greeting
}

func TestAConfigThatWasSavedMeanwhileIsNotKeptAsTheOneBefore(t *testing.T) {
	t.Parallel()

	answers := []struct{ tag, greeting string }{
		{`"b"`, "B"}, // saved after the call was signed
		{"", "A"},    // a proxy took the tag away
		{`W/"a"`, "A"},
	}
	asked := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		a := answers[asked]
		asked++
		if a.tag != "" {
			w.Header().Set("ETag", a.tag)
		}
		fmt.Fprintf(w, `{"success":true,"data":{"config":{"greeting":%q}}}`, a.greeting)
	}))
	defer srv.Close()
	v := verifier()
	for i, want := range []string{"B", "A", "A", "A"} {
		if got := greeting(t, v, srv.URL, "a"); got != want {
			t.Errorf("call %d: config of %q, want %q", i+1, got, want)
		}
	}
	if asked != 3 {
		t.Errorf("the platform was asked %d times, want 3", asked)
	}
}

func TestARefusalOfThePlatformSaysWhy(t *testing.T) {
	t.Parallel()

	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/elsewhere"):
			http.Redirect(w, r, "/", http.StatusFound)
		case strings.HasSuffix(r.URL.Path, "/gone"):
			http.Error(w, `{"success":false,"error":{"code":"NOT_FOUND","message":"m"}}`, http.StatusNotFound)
		default:
			w.Header().Set("Retry-After", "7")
			http.Error(w, `{"success":false,"error":{"code":"RATE_LIMIT_EXCEEDED","message":"m","details":{"a":1}}}`,
				http.StatusTooManyRequests)
		}
	}))
	defer srv.Close()
	p := &Platform{BaseURL: srv.URL}
	_, err := p.Orders(context.Background(), nil)
	var refused *Error
	if !errors.As(err, &refused) || refused.Status != 429 || refused.Code != "RATE_LIMIT_EXCEEDED" ||
		refused.RetryAfter.Seconds() != 7 || refused.Details["a"] != 1.0 || errors.Is(err, ErrNotFound) {
		t.Errorf("Orders = %+v", err)
	}
	if _, err := p.Order(context.Background(), "gone"); !errors.Is(err, ErrNotFound) {
		t.Errorf("Order = %v, want ErrNotFound", err)
	}
	_, err = p.User(context.Background(), "elsewhere")
	if !errors.As(err, &refused) || refused.Status != http.StatusFound {
		t.Errorf("User = %v; the token must not follow a redirect", err)
	}
}

func TestPublishReturnsTheIdOfTheEvent(t *testing.T) {
	t.Parallel()

	for _, answer := range []string{`{"success":true,"data":{"id":"e-1"}}`, `{"id":"e-1"}`} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if got, want := string(body), `{"type":"visits.counted","data":{"visits":1}}`; got != want || err != nil ||
				r.Method != http.MethodPost || r.RequestURI != "/api/v1/platform/events" {
				t.Errorf("%s %s %s, want %s", r.Method, r.RequestURI, got, want)
			}
			w.WriteHeader(http.StatusAccepted)
			fmt.Fprint(w, answer)
		}))
		p := &Platform{BaseURL: srv.URL + "/"}
		id, err := p.Publish(context.Background(), "visits.counted", map[string]int{"visits": 1})
		srv.Close()
		if err != nil || id != "e-1" {
			t.Errorf("Publish = %q, %v", id, err)
		}
	}
}
