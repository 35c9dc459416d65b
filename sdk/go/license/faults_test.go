package license_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"stoa/sdk/go/license"
)

// brittle is a store whose disk can be full or gone.
type brittle struct {
	license.Store

	full, gone bool
}

var errDisk = errors.New("disk full")

func (b *brittle) Load() ([]byte, error) {
	if b.gone {
		return nil, errDisk
	}
	return b.Store.Load()
}

func (b *brittle) Save(data []byte) error {
	if b.full {
		return errDisk
	}
	return b.Store.Save(data)
}

// wantWarned checks that the licence is usable, and that the store has failed.
func wantWarned(t *testing.T, c *license.Client, online bool) {
	t.Helper()
	s, err := c.Check(t.Context())
	if err != nil || s.Online != online || s.State != license.Valid || !errors.Is(s.StoreErr, license.ErrStore) || !errors.Is(s.StoreErr, errDisk) {
		t.Fatalf("Check = online %v, %q, %v, store %v; want online %v, valid, and ErrStore as a warning", s.Online, s.State, err, s.StoreErr, online)
	}
}

func TestAStoreThatFailsDoesNotStopALicensedApp(t *testing.T) {
	t.Parallel()
	a := vendor(t)
	c, wire := install(t, a)
	disk := &brittle{Store: c.Store, full: true, gone: true}
	c.Store = disk
	mustActivate(t, c)
	wantWarned(t, c, true)
	wire.cut = true
	wantWarned(t, c, false) // from memory
	a.Clock.Advance(time.Hour)
	wantWarned(t, c, false)
	a.Clock.Advance(-2 * time.Hour) // which the memory knows of
	if _, err := c.Check(t.Context()); !errors.Is(err, license.ErrClock) {
		t.Errorf("Check with the clock set back = %v, want ErrClock", err)
	}
	a.Clock.Advance(2 * time.Hour)

	// Started anew there is nothing, and the error says all of it.
	if _, err := clientOf(c, disk).Check(t.Context()); !errors.Is(err, license.ErrNoLease) || !errors.Is(err, errDisk) || !strings.Contains(err.Error(), "no route to host") {
		t.Errorf("Check without store, memory and network = %v", err)
	}

	// What could not be kept is kept as soon as the disk has room.
	disk.full, disk.gone = false, false
	wantState(t, c, false, license.Valid)
	wantState(t, clientOf(c, disk), false, license.Valid)
	disk.gone = true
	wantWarned(t, c, false)
	disk.gone = false

	// Offline with a lease at hand, noting the time fails.
	again := clientOf(c, disk)
	disk.full = true
	a.Clock.Advance(time.Hour)
	wantWarned(t, again, false)
	wire.cut = false
	wantWarned(t, again, true)

	if l, err := again.Deactivate(t.Context()); !errors.Is(err, license.ErrStore) || l.Status != "active" {
		t.Errorf("Deactivate with a full disk = %+v, %v; want the licence and ErrStore", l, err)
	}
	if _, err := again.Offline(); !errors.Is(err, license.ErrNoLease) {
		t.Errorf("Offline after Deactivate = %v, want ErrNoLease", err)
	}
}

func TestASignedRefusalWinsOverAStoreThatFails(t *testing.T) {
	t.Parallel()
	a := vendor(t)
	for how, ask := range map[string]func(*license.Client) error{
		"Check":  func(c *license.Client) error { _, err := c.Check(t.Context()); return err },
		"Verify": func(c *license.Client) error { _, err := c.Verify(t.Context()); return err },
	} {
		c, wire := install(t, a)
		disk := &brittle{Store: c.Store}
		c.Store = disk
		mustActivate(t, c)
		wantState(t, c, true, license.Valid)
		if _, err := clientOf(c, nil).Deactivate(t.Context()); err != nil { // elsewhere
			t.Fatal(err)
		}
		disk.full = true
		want := func(err error) {
			t.Helper()
			var refused *license.Refused
			if !errors.As(err, &refused) || refused.Code != "not_activated" {
				t.Errorf("after a refusal to %s: %v, want refused: not_activated", how, err)
			}
		}
		want(ask(c))
		wire.cut = true
		_, err := c.Check(t.Context()) // the old lease is still in the store
		want(err)
		disk.full = false
		_, err = c.Offline()
		want(err)
		_, err = clientOf(c, disk).Offline()
		want(err)

		wire.cut = false // and the vendor's yes ends it
		mustActivate(t, c)
		wantState(t, c, true, license.Valid)
		wire.cut = true
		wantState(t, c, false, license.Valid)
	}
}

func TestARefusalWinsOverAnAnswerThatWasOnItsWay(t *testing.T) {
	t.Parallel()
	a := vendor(t)
	c, wire := install(t, a)
	mustActivate(t, c)
	slow := clientOf(c, c.Store) // whose granted answer comes after the refusal
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

func TestASeatThatWasGivenBackLeavesNoLease(t *testing.T) {
	t.Parallel()
	a := vendor(t)
	c, wire := install(t, a)
	mustActivate(t, c)
	inner := wire.RoundTripper
	slow := clientOf(c, c.Store) // asks for a lease, and gives the seat back before the answer is there
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
	for name, client := range map[string]*license.Client{"it": slow, "started anew it": clientOf(c, c.Store)} {
		if _, err := client.Offline(); !errors.Is(err, license.ErrNoLease) {
			t.Errorf("Offline of %s = %v, want ErrNoLease", name, err)
		}
	}
}

func TestOnlineTheVendorsClockCounts(t *testing.T) {
	t.Parallel()
	a := vendor(t)
	c, _ := install(t, a)
	mustActivate(t, c)
	for _, wrong := range []time.Duration{-365 * 24 * time.Hour, 365 * 24 * time.Hour} {
		c.Now = func() time.Time { return a.Clock.Now().Add(wrong) }
		if s, err := c.Check(t.Context()); err != nil || !s.Online || s.State != license.Valid || !s.LastSeen.Equal(a.Clock.Now()) {
			t.Errorf("Check with a clock that is wrong by %s = %+v, %v; want it valid, seen at the vendor's time", wrong, s, err)
		}
	}
}

func TestTheVendorsOwnTroubleLeavesTheLease(t *testing.T) {
	t.Parallel()
	a := vendor(t)
	c, _ := install(t, a)
	mustActivate(t, c)
	wantState(t, c, true, license.Valid)
	astray := clientOf(c, c.Store) // which is no trouble of the vendor's
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

func TestWithoutAStoreTheLeaseIsKeptInMemory(t *testing.T) {
	t.Parallel()
	a := vendor(t)
	c, wire := install(t, a)
	c.Store = nil
	mustActivate(t, c)
	wantState(t, c, true, license.Valid)
	wire.cut = true
	wantState(t, c, false, license.Valid)
}

func TestTheLicenceKeyIsNotSentToWhereARedirectLeads(t *testing.T) {
	t.Parallel()

	var reached atomic.Int32
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		reached.Add(1)
		t.Errorf("elsewhere was asked for %s with %q, referred to by %q", r.URL, body, r.Referer())
	}))
	defer elsewhere.Close()
	for _, status := range []int{http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL+"/steal?"+r.URL.RawQuery, status)
		}))
		defer shop.Close()
		follows := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return nil }}
		for _, client := range []*http.Client{nil, {}, follows} {
			c := &license.Client{BaseURL: shop.URL, Product: "mail-pack", LicenseKey: "STOA-SECRET", Instance: "a.example", HTTP: client}
			for name, call := range map[string]func() error{
				"Activate": func() error { _, err := c.Activate(t.Context()); return err },
				"Verify":   func() error { _, err := c.Verify(t.Context()); return err },
				"Check":    func() error { _, err := c.Check(t.Context()); return err },
			} {
				if err := call(); err == nil || !strings.Contains(err.Error(), "redirect") || strings.Contains(err.Error(), "SECRET") {
					t.Errorf("%s with status %d = %v", name, status, err)
				}
			}
		}
		if follows.CheckRedirect == nil || follows.CheckRedirect(nil, nil) != nil {
			t.Error("the app's own client was changed")
		}
	}
	if reached.Load() > 0 {
		t.Error("a redirect was followed")
	}
}

// The lease is for what the vendor makes of the instance id: the SDK must come to
// the same, or the app works online only.
func TestInstancesAreSpelledAsTheVendorSpellsThem(t *testing.T) {
	t.Parallel()
	a := vendor(t)
	base, wire := install(t, a)
	for _, v := range readVectors(t).Instances {
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

// A lease that does not fit the app is what is wrong, not that there is no other.
func TestTheCauseIsNotMaskedByTheFallback(t *testing.T) {
	t.Parallel()
	a := vendor(t)
	c, wire := install(t, a)
	mustActivate(t, c)
	inner := wire.RoundTripper
	wire.RoundTripper = roundTrip(func(r *http.Request) (*http.Response, error) {
		c.Instance = "b.example" // as if the vendor spelled it otherwise
		return inner.RoundTrip(r)
	})
	s, err := c.Check(t.Context())
	if !errors.Is(err, license.ErrInstance) || !errors.Is(s.Cause, license.ErrInstance) || !strings.HasPrefix(err.Error(), license.ErrInstance.Error()) {
		t.Errorf("Check = %v (%v), want ErrInstance first", err, s.Cause)
	}
}
