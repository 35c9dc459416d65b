package entitlement

import (
	"strings"
	"testing"
	"time"

	"stoa.example/sdk/go/license"
)

var t0 = time.Date(2030, time.March, 1, 12, 0, 0, 0, time.UTC)

// leaseOf returns a license with the lease that a market gives at t0: seven days and three of grace.
func leaseOf(state State) License {
	return License{
		State: state, IsTrial: state == Trial, LeasedAt: t0, LeaseUntil: t0.Add(7 * 24 * time.Hour),
		GraceUntil: t0.Add(10 * 24 * time.Hour), LastSeen: t0,
	}
}

// The table of states of the contract: what time alone makes of a lease.
func TestStatesByTime(t *testing.T) {
	t.Parallel()

	const day = 24 * time.Hour
	ends := func(l License, after time.Duration) License {
		l.TermEnds = t0.Add(after)
		l.LeaseUntil, l.GraceUntil = earlier(l.LeaseUntil, l.TermEnds), earlier(l.GraceUntil, l.TermEnds)
		return l
	}
	seen := func(l License, after time.Duration) License {
		l.LastSeen = t0.Add(after)
		return l
	}
	refused := leaseOf(Lapsed)
	refused.Reason = Unpaid
	for name, tt := range map[string]struct {
		l      License
		after  time.Duration
		state  State
		reason Reason
	}{
		"at once":                               {leaseOf(Valid), 0, Valid, ""},
		"a trial":                               {leaseOf(Trial), 0, Trial, ""},
		"the last second of the lease":          {leaseOf(Valid), 7*day - time.Second, Valid, ""},
		"the end of the lease":                  {leaseOf(Valid), 7 * day, Grace, ""},
		"a trial in grace":                      {leaseOf(Trial), 7 * day, Grace, ""},
		"the last second of the grace":          {leaseOf(Grace), 10*day - time.Second, Grace, ""},
		"the end of the grace":                  {leaseOf(Grace), 10 * day, Lapsed, Unreachable},
		"the end of a license":                  {ends(leaseOf(Valid), 3*day), 3 * day, Lapsed, Expired},
		"the end of a trial":                    {ends(leaseOf(Trial), 3*day), 3 * day, Lapsed, TrialEnded},
		"a license that ends after the grace":   {ends(leaseOf(Valid), 30*day), 10 * day, Lapsed, Unreachable},
		"refused":                               {refused, 0, Lapsed, Unpaid},
		"refused, and the clock set back":       {refused, -day, Lapsed, Unpaid},
		"the clock set back to before it began": {seen(leaseOf(Valid), 8*day), -day, Grace, ""},
		"the clock set back after the grace":    {seen(leaseOf(Valid), 11*day), day, Lapsed, Unreachable},
	} {
		if state, reason := tt.l.At(t0.Add(tt.after)); state != tt.state || reason != tt.reason {
			t.Errorf("%s: %s %q, want %s %q", name, state, reason, tt.state, tt.reason)
		}
	}
}

// When a license is checked next.
func TestNextChecks(t *testing.T) {
	t.Parallel()

	const day = 24 * time.Hour
	refused, over := leaseOf(Lapsed), leaseOf(Lapsed)
	refused.Reason, over.Reason = Revoked, Unreachable
	for name, tt := range map[string]struct {
		l           License
		after, next time.Duration
	}{
		"every six hours":               {leaseOf(Valid), 0, 6 * time.Hour},
		"three days before the end":     {leaseOf(Valid), 4*day - time.Hour, time.Hour},
		"hourly from there":             {leaseOf(Valid), 4 * day, time.Hour},
		"after two thirds":              {leaseOf(Valid), 112*time.Hour - time.Minute, time.Minute},
		"just before the end":           {leaseOf(Valid), 7*day - 30*time.Minute, 29 * time.Minute},
		"in the last minute":            {leaseOf(Valid), 7*day - 30*time.Second, time.Hour},
		"in grace":                      {leaseOf(Grace), 8 * day, time.Hour},
		"just before the grace is over": {leaseOf(Grace), 10*day - 30*time.Minute, 29 * time.Minute},
		"refused":                       {refused, day, 6 * time.Hour},
		"refused long ago":              {refused, 20 * day, 6 * time.Hour},
		"unreachable":                   {over, 20 * day, time.Hour},
	} {
		if got := tt.l.nextCheck(t0.Add(tt.after), 0).Sub(t0.Add(tt.after)); got != tt.next {
			t.Errorf("%s: after %s, want %s", name, got, tt.next)
		}
	}
	if got := leaseOf(Valid).nextCheck(t0, checkSpread).Sub(t0); got != checkEvery-checkSpread {
		t.Errorf("early: after %s", got)
	}
	if checkSpread*10 > checkEvery {
		t.Error("checks come early by more than a tenth")
	}
}

// People know a key by its end, which says little of it.
func TestTheTailOfAKey(t *testing.T) {
	t.Parallel()

	for key, want := range map[string]string{
		"STOA-AAAA-BBBB-CCCC-DDDD": "DDDD", "abcdefgh": "gh", "ab": "", "": "", "ab-": "", "a-bcdefgh": "fgh", "ключиклю": "лю",
		"abcdefghijklmnopqrstuvwxyz012345": "yz012345",
	} {
		if got := tail(key); got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
}

// What is kept of a lease is bounded, whatever a market signs.
func TestALeaseIsBounded(t *testing.T) {
	t.Parallel()

	of := license.Lease{Tier: "a\x00" + strings.Repeat("é", 300), Features: make([]string, 300)}
	for i := range of.Features {
		of.Features[i] = strings.Repeat("f", 201)
	}
	l := License{}.leased(license.Status{Result: license.Result{Lease: of}}, &held{}, t0)
	if l.Tier != "a"+strings.Repeat("é", 198) || len(l.Features) != 200 || len(l.Features[0]) != 200 || len(of.Features[0]) != 201 {
		t.Errorf("tier %q, %d features of %d", l.Tier, len(l.Features), len(l.Features[0]))
	}
	of = license.Lease{Tier: strings.Repeat("t", 200), Features: []string{"one"}}
	if l := (License{}).leased(license.Status{Result: license.Result{Lease: of}}, &held{}, t0); l.Tier != of.Tier || len(l.Features) != 1 {
		t.Errorf("tier %q, %q", l.Tier, l.Features)
	}
}
