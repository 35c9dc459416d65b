package entitlement_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/extension"
	"stoa/internal/market/entitlement"
	"stoa/internal/testkit"
)

const day = 24 * time.Hour

func refused(err error) string {
	e, ok := errors.AsType[*errs.Error](err)
	if !ok {
		return ""
	}
	why, _ := e.Details["reason"].(string)
	return e.Code + " " + why
}

func TestActivationTakesOneSeatAndKeepsTheKey(t *testing.T) {
	t.Parallel()

	testkit.OnEachEngine(t, func(t *testing.T, options ...testkit.Option) {
		t.Helper()
		p := newPair(t, options...)
		e := p.b.Entitlements
		if err := e.Verify(t.Context(), p.of, p.key); err != nil || p.instances(t, p.key) != 0 {
			t.Fatalf("Verify = %v, and %d seats", err, p.instances(t, p.key))
		}
		if _, ok, err := e.Key(t.Context(), p.of); ok || err != nil {
			t.Errorf("a key before the activation: %v, %v", ok, err)
		}
		for range 2 { // it may be repeated
			l, err := e.Activate(t.Context(), p.of, p.key)
			if err != nil || l.State != entitlement.Valid || l.Tier != "once" || l.Instance != host {
				t.Fatalf("Activate = %+v, %v", l, err)
			}
		}
		if n := p.instances(t, p.key); n != 1 {
			t.Errorf("%d seats", n)
		}
		if key, ok, err := e.Key(t.Context(), p.of); key != p.key || !ok || err != nil {
			t.Errorf("Key = %v, %v", ok, err)
		}
		other := p.a.BuyKey(t, "", "once")
		if _, err := e.Activate(t.Context(), p.of, other); err != nil {
			t.Fatal(err)
		}
		p.tend(t)
		if was, is := p.instances(t, p.key), p.instances(t, other); was != 0 || is != 1 {
			t.Errorf("the old key has %d seats, the new one %d", was, is)
		}
	})
}

// What the market signed is told with its reason; what it did not sign is no answer.
func TestRefusedKeys(t *testing.T) {
	t.Parallel()

	p := newPair(t)
	e := p.b.Entitlements
	both := func(what, key, want string) {
		t.Helper()
		if got := refused(e.Verify(t.Context(), p.of, key)); got != want {
			t.Errorf("%s: Verify: %s, want %s", what, got, want)
		}
		if _, err := e.Activate(t.Context(), p.of, key); refused(err) != want {
			t.Errorf("%s: Activate: %v, want %s", what, err, want)
		}
		if _, err := e.Get(t.Context(), p.of.Kind, p.of.Slug); !errors.Is(err, entitlement.ErrNotFound) {
			t.Errorf("%s: the license is kept: %v", what, err)
		}
	}
	both("another key", "STOA-0000-0000-0000-0000", "LICENSE_REFUSED not_found")
	both("no key", "", "LICENSE_REFUSED not_found")
	p.way.lie(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-License-Code", "revoked")
		_, _ = w.Write([]byte(`{"valid":false}`))
	})
	both("unsigned", p.key, "MARKET_UNREACHABLE its answer is not signed with its license keys")
	p.way.honest()
	p.way.cut.Store(true)
	both("away", p.key, "MARKET_UNREACHABLE it does not answer")
	p.way.cut.Store(false)
	p.revoke(t)
	both("revoked", p.key, "LICENSE_REFUSED revoked")
}

// A package that is gone gives its seat back, also when the market is away at first.
func TestReleaseFreesTheSeat(t *testing.T) {
	t.Parallel()

	p := licensed(t)
	p.way.cut.Store(true)
	if err := p.b.Entitlements.Release(t.Context(), p.of.Kind, p.of.Slug); err != nil {
		t.Fatal(err)
	}
	if _, err := p.b.Entitlements.Get(t.Context(), p.of.Kind, p.of.Slug); !errors.Is(err, entitlement.ErrNotFound) {
		t.Errorf("the license stays: %v", err)
	}
	if err := p.b.Entitlements.Release(t.Context(), p.of.Kind, p.of.Slug); err != nil {
		t.Errorf("again: %v", err)
	}
	for range 6 {
		p.pass(t, day)
	}
	if n := p.instances(t, p.key); n != 1 {
		t.Errorf("%d seats while the market is away", n)
	}
	p.way.cut.Store(false)
	p.pass(t, time.Hour)
	if n := p.instances(t, p.key); n != 0 {
		t.Errorf("%d seats", n)
	}
	if list, err := p.b.Entitlements.Store.Releases(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("%d releases, %v", len(list), err)
	}
}

// A seat that is to be given back and is taken again meanwhile stays taken.
func TestASeatThatIsTakenAgainIsNotGivenBack(t *testing.T) {
	t.Parallel()

	p := licensed(t)
	p.way.cut.Store(true)
	if err := p.b.Entitlements.Release(t.Context(), p.of.Kind, p.of.Slug); err != nil {
		t.Fatal(err)
	}
	p.way.cut.Store(false)
	if _, err := p.b.Entitlements.Activate(t.Context(), p.of, p.key); err != nil {
		t.Fatal(err)
	}
	p.pass(t, time.Hour)
	if n := p.instances(t, p.key); n != 1 {
		t.Errorf("%d seats", n)
	}
	p.is(t, "taken again", entitlement.Valid, "")
}

// A stoa that is killed between the activation and the license gives the seat back.
func TestASeatWithoutALicenseIsGivenBack(t *testing.T) {
	t.Parallel()

	p := newPair(t)
	if err := p.b.Entitlements.Verify(t.Context(), p.of, p.key); err != nil { // and it has the license keys of the market
		t.Fatal(err)
	}
	p.way.lie(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			p.way.proxy.ServeHTTP(w, r)
			return
		}
		panic(http.ErrAbortHandler) // what is never received is like what is never kept
	})
	if _, err := p.b.Entitlements.Activate(t.Context(), p.of, p.key); refused(err) != "MARKET_UNREACHABLE it does not answer" {
		t.Fatal(err)
	}
	if n := p.instances(t, p.key); n != 1 {
		t.Fatalf("%d seats", n)
	}
	p.way.honest()
	p.pass(t, 9*time.Minute)
	if n := p.instances(t, p.key); n != 1 {
		t.Errorf("%d seats while it may be tried again", n)
	}
	p.pass(t, 2*time.Minute)
	if n := p.instances(t, p.key); n != 0 {
		t.Errorf("%d seats", n)
	}
}

func TestUninstallingFreesTheSeatAndRestoringTakesIt(t *testing.T) {
	t.Parallel()

	p := licensed(t)
	const at = "/api/v1/admin/extensions/plugin/echo"
	if res := p.b.Do(t, testkit.Delete(p.b.Admin.Access, at)); res.Status != http.StatusOK {
		t.Fatalf("%d %s", res.Status, res.Body)
	}
	p.tend(t)
	p.tend(t)
	if n := p.instances(t, p.key); n != 0 {
		t.Errorf("%d seats of an uninstalled package", n)
	}
	if res := p.b.Do(t, testkit.Post(p.b.Admin.Access, "/api/v1/admin/plugins/echo/restore", nil)); res.Status != http.StatusOK {
		t.Fatalf("%d %s", res.Status, res.Body)
	}
	p.tend(t)
	if n := p.instances(t, p.key); n != 1 {
		t.Errorf("%d seats of a restored package", n)
	}
	p.is(t, "restored", entitlement.Valid, "")
	if res := p.b.Do(t, testkit.Delete(p.b.Admin.Access, at+"?purge=true")); res.Status != http.StatusOK {
		t.Fatalf("%d %s", res.Status, res.Body)
	}
	p.tend(t)
	if n := p.instances(t, p.key); n != 0 {
		t.Errorf("%d seats of a purged package", n)
	}
	if _, err := p.b.Entitlements.Get(t.Context(), extension.Plugin, "echo"); !errors.Is(err, entitlement.ErrNotFound) {
		t.Errorf("the license of a purged package stays: %v", err)
	}
}

func TestTheInstanceIsTheHost(t *testing.T) {
	t.Parallel()

	for address, want := range map[string]string{
		"https://Shop.Example.org": "shop.example.org", "https://shop.example.org:8443/": "shop.example.org",
		"http://127.0.0.1:8080": "127.0.0.1", "": "localhost", "http://[::1]:80": "::1",
	} {
		if got := entitlement.InstanceOf(address); got != want {
			t.Errorf("%q: %q, want %q", address, got, want)
		}
	}
}
