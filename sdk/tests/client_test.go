package tests

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"stoa.example/sdk/go/license"
)

func TestAnAppKeepsRunningOfflineWhileItsLeaseLasts(t *testing.T) {
	t.Parallel()
	a := vendor(t)
	c, wire := install(t, a)

	var refused *license.Refused
	if _, err := c.Check(t.Context()); !errors.As(err, &refused) || refused.Code != "not_activated" {
		t.Fatalf("Check before activation = %v, want refused: not_activated", err)
	}
	for range 2 {
		if l, err := c.Activate(t.Context()); err != nil || l.CurrentInstances != 1 || l.Status != "active" {
			t.Fatalf("Activate = %+v, %v", l, err)
		}
	}
	if l, err := c.Verify(t.Context()); err != nil || l.Features[0] != "templates" || l.ExpiresAt.IsZero() {
		t.Fatalf("Verify = %+v, %v", l, err)
	}
	wantState(t, c, true, license.Valid)
	wire.cut = true
	wantState(t, c, false, license.Valid)
	a.Clock.Advance(7*24*time.Hour - time.Second)
	wantState(t, c, false, license.Valid)
	a.Clock.Advance(time.Second)
	wantState(t, c, false, license.Grace)
	a.Clock.Advance(3 * 24 * time.Hour)
	wantState(t, c, false, license.Expired)

	// A clock that was set back is refused offline, until the vendor answers.
	a.Clock.Advance(-5 * 24 * time.Hour)
	if _, err := c.Check(t.Context()); !errors.Is(err, license.ErrClock) {
		t.Errorf("Check with the clock set back = %v, want ErrClock", err)
	}
	wire.cut = false
	wantState(t, c, true, license.Valid)
	wire.cut = true
	wantState(t, c, false, license.Valid)
}

// An app can tell its user that this installation takes no seat.
func TestADevelopmentInstanceIsNamedAsSuch(t *testing.T) {
	t.Parallel()
	a := vendor(t)
	c, _ := install(t, a)
	for _, tt := range []struct {
		instance string
		want     bool
	}{{"localhost:3000", true}, {"shop.example.com", false}, {"staging.shop.example.com", true}} {
		c.Instance = tt.instance
		activated, err := c.Activate(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		verified, err := c.Verify(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		status, err := c.Renew(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if activated.Development != tt.want || verified.Development != tt.want || status.Lease.Development != tt.want {
			t.Errorf("%s: development = %v, %v and %v, want %v", tt.instance,
				activated.Development, verified.Development, status.Lease.Development, tt.want)
		}
	}
}

func TestOnlyAnswersOfTheVendorCount(t *testing.T) {
	t.Parallel()
	a := vendor(t)
	c, wire := install(t, a)
	mustActivate(t, c)
	var recorded http.Handler
	wire.impostor = recorder(t, wire.RoundTripper, &recorded)
	wantState(t, c, true, license.Valid)

	says := func(status int, body string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		})
	}
	for name, impostor := range map[string]http.Handler{
		"a replay":       recorded,
		"a grant":        says(200, `{"valid":true,"license":{},"features":["everything"]}`),
		"a refusal":      says(200, `{"valid":false}`),
		"a captive page": says(200, "<html>"),
		"an error":       says(500, `{"error":"INTERNAL_ERROR","message":"x"}`),
		"not found":      says(404, `{"error":"NOT_FOUND","message":"x"}`),
	} {
		wire.impostor = impostor
		if _, err := c.Verify(t.Context()); !errors.Is(err, license.ErrUnsigned) {
			t.Errorf("Verify with %s = %v, want ErrUnsigned", name, err)
		}
		wantState(t, c, false, license.Valid)
	}

	// Without a lease there is nothing to fall back to. No error contains the key.
	c = clientOf(c, nil)
	secret := c.LicenseKey[5:16]
	if _, err := c.Check(t.Context()); !errors.Is(err, license.ErrNoLease) ||
		!errors.Is(err, license.ErrUnsigned) || strings.Contains(err.Error(), secret) {
		t.Errorf("Check without a lease = %v", err)
	}
	wire.cut = true
	if _, err := c.Activate(t.Context()); err == nil ||
		strings.Contains(err.Error(), secret) || strings.Contains(err.Error(), "/api/") {
		t.Errorf("Activate without network = %v", err)
	}
}

// recorder passes requests on, and leaves in recorded a handler that replays the
// last answer.
func recorder(t *testing.T, vendor http.RoundTripper, recorded *http.Handler) http.Handler {
	t.Helper()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		res, err := vendor.RoundTrip(r)
		if err != nil {
			t.Error(err)
			return
		}
		defer res.Body.Close()
		body, _ := io.ReadAll(res.Body)
		*recorded = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			for name, values := range res.Header {
				w.Header()[name] = values
			}
			w.WriteHeader(res.StatusCode)
			_, _ = w.Write(body)
		})
		(*recorded).ServeHTTP(w, r)
	})
}

func TestASignedRefusalEndsTheLease(t *testing.T) {
	t.Parallel()
	a := vendor(t)
	c, wire := install(t, a)
	mustActivate(t, c)
	wantState(t, c, true, license.Valid)
	other, _ := install(t, a)
	other.LicenseKey, other.Instance = c.LicenseKey, "b.example"
	var failed *license.Error
	if _, err := other.Activate(t.Context()); !errors.As(err, &failed) ||
		failed.Code != "ACTIVATION_FAILED" || failed.Status != 400 {
		t.Errorf("a second Activate = %v, want ACTIVATION_FAILED", err)
	}
	if _, err := c.Deactivate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := other.Activate(t.Context()); err != nil {
		t.Errorf("Activate after the seat was freed: %v", err)
	}
	wantState(t, other, true, license.Valid)
	a.Clock.Advance(40 * 24 * time.Hour) // past the term
	var refused *license.Refused
	if _, err := other.Check(t.Context()); !errors.As(err, &refused) || refused.Code != "expired" {
		t.Errorf("Check after the term = %v, want refused: expired", err)
	}
	if _, err := c.Offline(); !errors.Is(err, license.ErrNoLease) {
		t.Errorf("Offline after the seat was freed = %v, want ErrNoLease", err)
	}
	for when, client := range map[string]*license.Client{"a refusal": other, "a restart": clientOf(other, other.Store)} {
		if _, err := client.Offline(); !errors.As(err, &refused) || refused.Code != "expired" {
			t.Errorf("Offline after %s = %v, want refused: expired", when, err)
		}
	}
	wire.cut = true
	if _, err := c.Check(t.Context()); !errors.Is(err, license.ErrNoLease) {
		t.Errorf("Check without lease and network = %v", err)
	}
	c.Product = "other"
	wire.cut = false
	if _, err := c.Check(t.Context()); !errors.As(err, &failed) || failed.Code != "NOT_FOUND" {
		t.Errorf("Check of an unknown product = %v, want NOT_FOUND", err)
	}
}
