package entitlement_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"stoa/internal/market/entitlement"
	"stoa/internal/market/remote"
	"stoa/internal/testkit"
)

const echoAt = "/api/v1/admin/extensions/plugin/echo"

// uninstall removes the plugin of B.
func (p *pair) uninstall(t *testing.T, query string) {
	t.Helper()
	if res := p.b.Do(t, testkit.Delete(p.b.Login(t, "root").Access, echoAt+query)); res.Status != http.StatusOK {
		t.Fatalf("%d %s", res.Status, res.Body)
	}
}

// What is purged and installed again before B has looked keeps its license through the download.
func TestALicenseTakenRightAfterAPurgeWaitsForTheInstall(t *testing.T) {
	t.Parallel()

	for name, query := range map[string]string{"purged": "?purge=true", "uninstalled": ""} {
		p := licensed(t)
		p.uninstall(t, query)
		if _, err := p.b.Entitlements.Activate(t.Context(), p.of, p.key); err != nil {
			t.Fatal(err)
		}
		p.tend(t)
		p.pass(t, time.Hour)
		if _, err := p.b.Entitlements.Get(t.Context(), p.of.Kind, p.of.Slug); err != nil || p.instances(t, p.key) != 1 {
			t.Errorf("%s: %v, %d seats", name, err, p.instances(t, p.key))
		}
	}
}

// A copy of the database on another host takes a seat of its own, and never gives back that of the stoa that it
// was copied from.
func TestACopyLeavesTheSeatOfTheOriginal(t *testing.T) {
	t.Parallel()

	p := licensed(t)
	p.way.cut.Store(true)
	release := func(at string) {
		t.Helper()
		r := entitlement.Release{
			ID: at, Market: p.of.Market, Product: p.of.Product, Instance: host,
			Sealed: p.b.Entitlements.Keys.Seal([]byte(p.key), at), Due: p.b.Clock.Now(), Until: p.b.Clock.Now().Add(day),
		}
		if err := p.b.Entitlements.Store.PutRelease(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	release("pending")
	p.b.Entitlements.Instance = "staging." + host
	p.way.cut.Store(false)
	p.tend(t)
	if n := p.instances(t, p.key); n != 1 {
		t.Errorf("%d seats after a release that the original recorded", n)
	}
	p.uninstall(t, "") // before the copy has a name of its own
	p.tend(t)
	if n := p.instances(t, p.key); n != 1 {
		t.Errorf("%d seats after the copy uninstalled", n)
	}
	if list, err := p.b.Entitlements.Store.Releases(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("%d releases, %v", len(list), err)
	}
}

// An activation that fails gives back no seat that the package has.
func TestAFailedActivationLeavesTheSeatOfThePackage(t *testing.T) {
	t.Parallel()

	p := licensed(t)
	p.way.lie(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			panic(http.ErrAbortHandler)
		}
		p.way.proxy.ServeHTTP(w, r)
	})
	if _, err := p.b.Entitlements.Activate(t.Context(), p.of, p.key); refused(err) == "" {
		t.Fatal(err)
	}
	p.way.honest()
	p.pass(t, time.Hour)
	if list, err := p.b.Entitlements.Store.Releases(t.Context()); err != nil || len(list) != 0 || p.instances(t, p.key) != 1 {
		t.Errorf("%d releases, %d seats, %v", len(list), p.instances(t, p.key), err)
	}
}

// A stoa under another address takes its seat before it goes on, and goes on without one as before.
func TestAStoaUnderAnotherNameTakesASeat(t *testing.T) {
	t.Parallel()

	p := licensed(t)
	p.b.Entitlements.Instance = "staging." + host
	check := func() entitlement.License {
		t.Helper()
		l, err := p.b.Entitlements.Check(t.Context(), p.of.Kind, p.of.Slug)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	p.way.cut.Store(true)
	if l := check(); l.Instance != host {
		t.Errorf("without an answer it is %s", l.Instance)
	}
	p.is(t, "away", entitlement.Valid, "")
	p.way.cut.Store(false)
	if l := check(); l.Instance != "staging."+host {
		t.Errorf("it is %s", l.Instance)
	}
	p.tend(t)
	p.is(t, "renamed", entitlement.Valid, "")
	if l, err := p.a.Licenses.GetByKey(t.Context(), p.key); err != nil || l.License.Instances != 1 {
		t.Errorf("the original has %d seats, %v", l.License.Instances, err)
	}
}

// noMarkets knows none.
type noMarkets struct{ entitlement.Markets }

// Get implements entitlement.Markets.
func (noMarkets) Get(context.Context, string) (remote.Market, error) {
	return remote.Market{}, remote.ErrNotFound
}

// A seat is given back for seven days, whatever becomes of its market.
func TestASeatIsGivenBackThoughItsMarketIsNotKnown(t *testing.T) {
	t.Parallel()

	p := licensed(t)
	p.way.cut.Store(true)
	p.uninstall(t, "?purge=true")
	p.tend(t)
	remove := func() int {
		t.Helper()
		admin := p.b.Login(t, "root") // removing one asks whether somebody is there
		return p.b.Do(t, testkit.Delete(admin.Access, "/api/v1/admin/markets/"+p.of.Market)).Status
	}
	if got := remove(); got != http.StatusConflict {
		t.Errorf("a market with a seat to give back is removed: %d", got)
	}
	known := p.b.Entitlements.Markets
	p.b.Entitlements.Markets = noMarkets{known}
	p.pass(t, time.Hour)
	p.b.Entitlements.Markets = known
	p.way.cut.Store(false)
	p.pass(t, time.Hour)
	if n := p.instances(t, p.key); n != 0 {
		t.Errorf("%d seats", n)
	}
	if got := remove(); got != http.StatusOK {
		t.Errorf("a market without anything is not removed: %d", got)
	}
}

// What cannot be opened, because the master key is another one, stops nothing else and lapses in time.
func TestAKeyThatCannotBeOpened(t *testing.T) {
	t.Parallel()

	p := licensed(t)
	l := p.license(t)
	l.Sealed, l.Revision = "v1.AAAA", l.Revision+1
	lost := entitlement.Release{
		ID: "lost", Market: p.of.Market, Product: p.of.Product, Instance: host, Sealed: "v1.AAAA", Due: p.b.Clock.Now(),
		Until: p.b.Clock.Now().Add(day),
	}
	if err := errors.Join(p.b.Entitlements.Store.Update(t.Context(), l), p.b.Entitlements.Store.PutRelease(t.Context(), lost)); err != nil {
		t.Fatal(err)
	}
	p.pass(t, time.Hour) // without an error
	p.pass(t, 2*day)
	if list, err := p.b.Entitlements.Store.Releases(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("%d releases after their time, %v", len(list), err)
	}
	p.pass(t, 9*day)
	if l := p.license(t); l.State != entitlement.Lapsed || l.Reason != entitlement.Unreachable {
		t.Errorf("recorded: %s %s", l.State, l.Reason)
	}
	if _, err := p.b.Entitlements.Activate(t.Context(), p.of, p.a.BuyKey(t, "", "once")); err != nil {
		t.Errorf("another key: %v", err)
	}
	p.is(t, "another key", entitlement.Valid, "")
	l = p.license(t)
	l.Sealed, l.Revision = "v1.AAAA", l.Revision+1
	if err := p.b.Entitlements.Store.Update(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	p.uninstall(t, "?purge=true")
	p.tend(t)
	if _, err := p.b.Entitlements.Get(t.Context(), p.of.Kind, p.of.Slug); !errors.Is(err, entitlement.ErrNotFound) {
		t.Errorf("the license of a purged package stays: %v", err)
	}
}

// What answers in place of the market, and says no to an activation, says nothing of the license.
func TestAnActivationThatNoMarketRefused(t *testing.T) {
	t.Parallel()

	p := newPair(t)
	inPlace := func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/activate") {
			http.Error(w, "<h1>Blocked</h1>", http.StatusForbidden)
			return
		}
		p.way.proxy.ServeHTTP(w, r)
	}
	p.way.lie(inPlace)
	if _, err := p.b.Entitlements.Activate(t.Context(), p.of, p.key); !errors.Is(err, remote.ErrUnreachable) {
		t.Errorf("activated: %v", err)
	}
	p.way.honest()
	if _, err := p.b.Entitlements.Activate(t.Context(), p.of, p.key); err != nil {
		t.Fatal(err)
	}
	p.tend(t)
	p.uninstall(t, "")
	p.tend(t)
	p.way.lie(inPlace)
	if res := p.b.Do(t, testkit.Post(p.b.Login(t, "root").Access, "/api/v1/admin/plugins/echo/restore", nil)); res.Status != http.StatusOK {
		t.Fatalf("%d %s", res.Status, res.Body)
	}
	p.tend(t)
	p.way.honest()
	p.pass(t, 2*time.Minute)
	p.is(t, "restored, and asked again", entitlement.Valid, "")
	if n := p.instances(t, p.key); n != 1 {
		t.Errorf("%d seats", n)
	}
}

// A seat that was taken for an install which never came is given back at the end of its grace.
func TestASeatThatNobodyUsesIsGivenBack(t *testing.T) {
	t.Parallel()

	p := newPair(t)
	p.uninstall(t, "?purge=true")
	if _, err := p.b.Entitlements.Activate(t.Context(), p.of, p.key); err != nil {
		t.Fatal(err)
	}
	p.pass(t, 10*day-time.Second)
	if n := p.instances(t, p.key); n != 1 {
		t.Errorf("%d seats before the end", n)
	}
	p.pass(t, time.Second)
	if _, err := p.b.Entitlements.Get(t.Context(), p.of.Kind, p.of.Slug); !errors.Is(err, entitlement.ErrNotFound) || p.instances(t, p.key) != 0 {
		t.Errorf("%v, %d seats", err, p.instances(t, p.key))
	}
}

// The license of what can be restored is not replaced by that of another product with the same package.
func TestTheLicenseOfAnotherProductIsNotReplaced(t *testing.T) {
	t.Parallel()

	p := licensed(t)
	p.uninstall(t, "")
	p.tend(t)
	other := p.of
	other.Product = "bare"
	if _, err := p.b.Entitlements.Activate(t.Context(), other, p.key); !errors.Is(err, entitlement.ErrOther) {
		t.Errorf("activated: %v", err)
	}
}

// A package that is free now runs on when its license is given back, also if that had lapsed.
func TestWhatIsReleasedWhileItHasLapsedRuns(t *testing.T) {
	t.Parallel()

	p := licensed(t)
	turns := &turns{p.b.Entitlements.Plugins, ""}
	p.b.Entitlements.Plugins = turns
	p.revoke(t)
	if _, err := p.b.Entitlements.Check(t.Context(), p.of.Kind, p.of.Slug); err != nil {
		t.Fatal(err)
	}
	turns.are(t, "revoked", "lapse echo ")
	if err := p.b.Entitlements.Release(t.Context(), p.of.Kind, p.of.Slug); err != nil {
		t.Fatal(err)
	}
	turns.are(t, "released", "return echo ")
}

// A license is that of what its market sold: one of the same name that somebody uploaded, between the activation and
// the install, runs without it, and does not end with it.
func TestALicenseDecidesAboutItsOwnPackage(t *testing.T) {
	t.Parallel()

	testkit.OnEnginesOfRun(t, func(t *testing.T, options ...testkit.Option) {
		p := newPair(t, options...)
		if _, err := p.b.DB.Conn().Write.ExecContext(t.Context(), `DELETE FROM package_origins`); err != nil {
			t.Fatal(err)
		}
		if _, err := p.b.Entitlements.Activate(t.Context(), p.of, p.key); err != nil {
			t.Fatal(err)
		}
		p.tend(t)
		p.revoke(t)
		p.pass(t, time.Hour)
		if _, err := p.b.Entitlements.Check(t.Context(), p.of.Kind, p.of.Slug); err != nil {
			t.Fatal(err)
		}
		if res, _ := p.call(t, nil); res.Status != http.StatusOK {
			t.Errorf("a call is answered with %d %s", res.Status, res.Body)
		}
		if _, err := p.b.Entitlements.Deciding(t.Context(), p.of.Kind, p.of.Slug); !errors.Is(err, entitlement.ErrNotFound) {
			t.Errorf("it decides: %v", err)
		}
	})
}

// A kept key that cannot be opened is in nobody's way: another one takes its place.
func TestAKeyThatCannotBeOpenedIsReplaced(t *testing.T) {
	t.Parallel()

	p := licensed(t)
	if _, err := p.b.DB.Conn().Write.ExecContext(t.Context(), `UPDATE package_licenses SET key_sealed = 'damaged'`); err != nil {
		t.Fatal(err)
	}
	if key, held, err := p.b.Entitlements.Key(t.Context(), p.of); key != "" || held || err != nil {
		t.Errorf("kept: %t, %v", held, err)
	}
	if _, err := p.b.Entitlements.Activate(t.Context(), p.of, p.key); err != nil {
		t.Fatal(err)
	}
	if key, held, err := p.b.Entitlements.Key(t.Context(), p.of); key != p.key || !held || err != nil {
		t.Errorf("replaced: %t, %v", held, err)
	}
}
