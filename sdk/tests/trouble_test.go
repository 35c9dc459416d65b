package tests

import (
	"errors"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stoa.example/sdk/go/license"
)

func TestARefusalWinsOverAGrantStillUnderway(t *testing.T) {
	t.Parallel()
	a := vendor(t)
	c, wire := install(t, a)
	mustActivate(t, c)
	slow := clientOf(c, c.Store) // receives its grant after the refusal
	elsewhere := clientOf(c, nil)
	inner := wire.RoundTripper
	slow.HTTP = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		res, err := inner.RoundTrip(r)
		slow.HTTP = c.HTTP
		if _, err := elsewhere.Deactivate(t.Context()); err != nil {
			t.Error(err)
		}
		if _, err := slow.Verify(t.Context()); err == nil {
			t.Error("Verify after Deactivate succeeds")
		}
		return res, err
	})}
	var refused *license.Refused
	if _, err := slow.Check(t.Context()); !errors.As(err, &refused) {
		t.Errorf("Check = %v, want the refusal", err)
	}
	if _, err := slow.Offline(); !errors.As(err, &refused) {
		t.Errorf("Offline = %v, want the refusal", err)
	}
}

func TestAFreedSeatLeavesNoLease(t *testing.T) {
	t.Parallel()
	a := vendor(t)
	c, wire := install(t, a)
	mustActivate(t, c)
	inner := wire.RoundTripper
	slow := clientOf(c, c.Store) // frees the seat while it waits for a lease
	slow.HTTP = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		res, err := inner.RoundTrip(r)
		slow.HTTP = c.HTTP
		if _, err := slow.Deactivate(t.Context()); err != nil {
			t.Error(err)
		}
		return res, err
	})}
	var refused *license.Refused
	if _, err := slow.Check(t.Context()); !errors.As(err, &refused) || refused.Code != "not_activated" {
		t.Errorf("Check = %v, want refused: not_activated", err)
	}
	for when, client := range map[string]*license.Client{"the answer": slow, "a restart": clientOf(c, c.Store)} {
		if _, err := client.Offline(); !errors.Is(err, license.ErrNoLease) {
			t.Errorf("Offline after %s = %v, want ErrNoLease", when, err)
		}
	}
}

func TestOnlineTheVendorsClockDecides(t *testing.T) {
	t.Parallel()
	a := vendor(t)
	c, _ := install(t, a)
	mustActivate(t, c)
	for _, wrong := range []time.Duration{-365 * 24 * time.Hour, 365 * 24 * time.Hour} {
		c.Now = func() time.Time { return a.Clock.Now().Add(wrong) }
		s, err := c.Check(t.Context())
		if err != nil || !s.Online || s.State != license.Valid || !s.LastSeen.Equal(a.Clock.Now()) {
			t.Errorf("Check with a clock wrong by %s = %+v, %v; want it valid, seen at the vendor's time", wrong, s, err)
		}
	}
}

func TestAFailingVendorLeavesTheLeaseUsable(t *testing.T) {
	t.Parallel()
	a := vendor(t)
	c, _ := install(t, a)
	mustActivate(t, c)
	wantState(t, c, true, license.Valid)
	astray := clientOf(c, c.Store) // the vendor is fine, the request is wrong
	astray.Product = "other"
	if s, err := astray.Check(t.Context()); err == nil || !s.Online || s.Cause != nil {
		t.Errorf("Check of an unknown product = online %v, %v (%v); want the vendor's no", s.Online, err, s.Cause)
	}
	if err := a.DB.Close(); err != nil {
		t.Fatal(err)
	}
	wantState(t, c, false, license.Valid)
	var failed *license.Error
	if s, _ := c.Check(t.Context()); !errors.As(s.Cause, &failed) || failed.Status != http.StatusInternalServerError {
		t.Errorf("cause = %v, want the vendor's 500", s.Cause)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A lease names the instance as the vendor normalizes it. If the SDK differed, the
// app would work online only.
func TestTheVendorNormalizesInstancesLikeTheSDK(t *testing.T) {
	t.Parallel()
	a := vendor(t)
	base, wire := install(t, a)
	for _, v := range instanceVectors {
		c := clientOf(base, license.FileStore(filepath.Join(t.TempDir(), "lease")))
		c.Instance, wire.cut = v.ID, false
		if got := license.NormalInstance(v.ID); got != v.Normal {
			t.Errorf("NormalInstance(%+q) = %+q, want %+q", v.ID, got, v.Normal)
		}
		if _, err := c.Activate(t.Context()); err != nil {
			t.Fatalf("Activate %+q: %v", v.ID, err)
		}
		s, err := c.Check(t.Context())
		if err != nil || !s.Online || s.Lease.Instance != v.Normal {
			t.Errorf("Check of %+q = online %v, lease for %+q, %v; want %+q", v.ID, s.Online, s.Lease.Instance, err, v.Normal)
		}
		if _, err := c.Deactivate(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// A lease that does not fit is the error to report, not that no other is stored.
func TestTheFallbackDoesNotHideTheCause(t *testing.T) {
	t.Parallel()
	a := vendor(t)
	c, wire := install(t, a)
	mustActivate(t, c)
	inner := wire.RoundTripper
	wire.RoundTripper = roundTrip(func(r *http.Request) (*http.Response, error) {
		c.Instance = "b.example" // as if the vendor normalized it differently
		return inner.RoundTrip(r)
	})
	s, err := c.Check(t.Context())
	if !errors.Is(err, license.ErrInstance) || !errors.Is(s.Cause, license.ErrInstance) ||
		!strings.HasPrefix(err.Error(), license.ErrInstance.Error()) {
		t.Errorf("Check = %v (%v), want ErrInstance first", err, s.Cause)
	}
}
