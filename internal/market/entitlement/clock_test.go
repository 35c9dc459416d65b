package entitlement_test

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"time"

	"stoa/internal/market/entitlement"
	"stoa/internal/testkit"
)

// A lease of a market whose clock is behind, which is over already, stops nothing.
func TestALeaseThatIsOverAlreadyIsNoAnswer(t *testing.T) {
	t.Parallel()

	p := licensed(t)
	held := p.license(t)
	p.a.Clock.Advance(-11 * day)
	if _, err := p.b.Entitlements.Check(t.Context(), p.of.Kind, p.of.Slug); err != nil {
		t.Fatal(err)
	}
	p.is(t, "eleven days behind", entitlement.Valid, "")
	if l := p.license(t); l.Lease != held.Lease || !l.LeaseUntil.Equal(held.LeaseUntil) {
		t.Errorf("the lease that it has is gone: until %s, was %s", l.LeaseUntil, held.LeaseUntil)
	}
	if _, err := p.b.Entitlements.Activate(t.Context(), p.of, p.key); refused(err) == "" {
		t.Errorf("Activate = %v", err)
	}
	p.a.Clock.Advance(3 * day) // eight days behind: its leases are in grace
	if _, err := p.b.Entitlements.Check(t.Context(), p.of.Kind, p.of.Slug); err != nil {
		t.Fatal(err)
	}
	p.is(t, "eight days behind", entitlement.Valid, "")
	p.pass(t, 9*day)
	p.is(t, "and better than none", entitlement.Grace, "")
	p.pass(t, 12*time.Hour)
	p.pass(t, 12*time.Hour)
	p.is(t, "even after the first one", entitlement.Grace, "")
}

// Time that passes between two checks is known, too, and the gateway goes by it as well.
func TestAClockThatIsSetBackBetweenChecks(t *testing.T) {
	t.Parallel()

	p := licensed(t)
	p.way.cut.Store(true)
	p.pass(t, 7*day-30*time.Minute)
	at := p.license(t).LastSeen
	p.pass(t, 5*time.Minute)
	if seen := p.license(t).LastSeen; !seen.Equal(at) {
		t.Errorf("%s is noted after five minutes", seen.Sub(at))
	}
	p.pass(t, 10*time.Minute)
	if seen := p.license(t).LastSeen; seen.Sub(at) != 15*time.Minute {
		t.Errorf("%s is noted after a quarter of an hour", seen.Sub(at))
	}
	p.pass(t, 12*time.Hour)
	p.is(t, "in grace", entitlement.Grace, "")
	p.b.Clock.Advance(-5 * day)
	res := p.b.Do(t, testkit.Get(p.b.Admin.Access, "/api/v1/admin/plugins/echo"))
	if got := res.Text(t, "data.license.state"); got != "grace" {
		t.Errorf("shown as %s", got)
	}
	_, got := p.call(t, nil)
	if told, err := base64.RawURLEncoding.DecodeString(got.Get("X-Plugin-License")); !strings.Contains(string(told), `"state":"grace"`) {
		t.Errorf("the plugin is told %s, %v", told, err)
	}
}

// A plugin that is restored after its lease has ended is told that it runs again.
func TestRestoredAfterTheLease(t *testing.T) {
	t.Parallel()

	p, told := licensed(t), map[string]bool{}
	p.hooks(t, told)
	p.uninstall(t, "")
	p.tend(t)
	p.pass(t, 12*day)
	if got := p.hooks(t, told); got != "onDisable onUninstall" {
		t.Errorf("hooks of the uninstall: %s", got)
	}
	if res := p.b.Do(t, testkit.Post(p.b.Login(t, "root").Access, "/api/v1/admin/plugins/echo/restore", nil)); res.Status != http.StatusOK {
		t.Fatalf("%d %s", res.Status, res.Body)
	}
	p.tend(t)
	p.tend(t)
	p.is(t, "restored", entitlement.Valid, "")
	if got := p.hooks(t, told); got != "onEnable" {
		t.Errorf("hooks of the restore: %s", got)
	}
}

// Between the moment that a license lapses and its record, whoever disables an instance tells it so.
func TestDisabledBeforeTheLapseIsRecorded(t *testing.T) {
	t.Parallel()

	p, told := licensed(t), map[string]bool{}
	in, err := p.b.Plugins.ByKey(t.Context(), "echo", "default")
	if err != nil {
		t.Fatal(err)
	}
	p.hooks(t, told)
	p.way.cut.Store(true)
	p.b.Clock.Advance(11 * day)
	p.b.Do(t, testkit.Patch(p.b.Login(t, "root").Access, "/api/v1/admin/plugins/echo/instances/"+in.Instance.ID,
		map[string]any{"enabled": false}))
	p.tend(t)
	if got := p.hooks(t, told); got != "onDisable" {
		t.Errorf("hooks: %s", got)
	}
}

// A process is kept no longer than the license: the moment counts, not its record.
func TestNoProcessIsKeptAfterTheGrace(t *testing.T) {
	t.Parallel()

	testkit.OnEachEngine(t, func(t *testing.T, options ...testkit.Option) {
		t.Helper()
		p := licensed(t, options...)
		in, err := p.b.Plugins.ByKey(t.Context(), "echo", "default")
		if err != nil {
			t.Fatal(err)
		}
		kept := func(what string, want int) {
			t.Helper()
			if live, err := p.b.Plugins.LiveInstances(t.Context(), []string{in.Instance.ID}); err != nil || len(live) != want {
				t.Errorf("%s: %d live, %v", what, len(live), err)
			}
		}
		p.b.Clock.Advance(10*day - time.Second)
		kept("in grace", 1)
		p.b.Clock.Advance(time.Second)
		kept("after it", 0)
	})
}
