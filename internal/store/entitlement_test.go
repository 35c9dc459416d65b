package store_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/base/errs"
	"stoa/internal/extension"
	"stoa/internal/market/entitlement"
	"stoa/internal/store"
)

func testEntitlements(t *testing.T, open Open) {
	db := open(t)
	s := store.NewEntitlements(db, store.NewPlugin(db))
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	l := entitlement.License{
		Subject: entitlement.Subject{Kind: extension.Plugin, Slug: "pay", Market: "m1", Product: "pay-pro"},
		ID:      "l1", Sealed: "sealed", KeyTail: "TAIL", Instance: "shop.example", Lease: "{}", Tier: "pro", Features: []string{"a", "b"},
		IsTrial: true, TermEnds: T0.Add(time.Hour), LeasedAt: T0, LeaseUntil: T0.Add(1e9), GraceUntil: T0.Add(2e9),
		State: entitlement.Trial, CheckedAt: T0, LastSeen: T0.Add(3e9), Due: T0.Add(4e9), Mailed: entitlement.BeganMailed,
		Installed: true, Seated: true, Revision: 3,
	}
	before, err := s.Plugins().(*store.Plugin).Generation(ctx)
	must(err)
	must(s.Create(ctx, l))
	if after, err := s.Plugins().(*store.Plugin).Generation(ctx); err != nil || after == before {
		t.Errorf("the generation stays %d, %v", after, err)
	}
	again := l
	again.ID = "l2"
	wantKind(t, s.Create(ctx, again), errs.Conflict)
	if got, err := s.Get(ctx, extension.Plugin, "pay"); err != nil || !cmp.Equal(got, l) {
		t.Errorf("%v (-got +want):\n%s", err, cmp.Diff(got, l))
	}
	_, err = s.Get(ctx, extension.ThemeShop, "pay")
	wantKind(t, err, errs.NotFound)
	l.Market, l.Product, l.Sealed, l.KeyTail, l.Instance, l.Lease = "m2", "p", "other", "LIAT", "b.example", ""
	l.Tier, l.Features, l.IsTrial, l.TermEnds = "", []string{}, false, time.Time{}
	l.LeasedAt, l.LeaseUntil, l.GraceUntil = T0.Add(1e9), T0.Add(2e9), T0.Add(3e9)
	l.State, l.Reason, l.CheckedAt, l.LastSeen, l.Due = entitlement.Lapsed, entitlement.Revoked, time.Time{}, T0, T0.Add(9e9)
	l.Mailed, l.Installed, l.Seated, l.Revision = entitlement.NotMailed, false, false, 4
	must(s.Update(ctx, l))
	if list, err := s.List(ctx); err != nil || !cmp.Equal(list, []entitlement.License{l}) {
		t.Errorf("%v (-got +want):\n%s", err, cmp.Diff(list, []entitlement.License{l}))
	}
	if slugs, err := s.Stopped(ctx, extension.Plugin, "pay"); err != nil || len(slugs) != 0 {
		t.Errorf("a license without a package decides about %v, %v", slugs, err)
	}
	must(s.Saw(ctx, T0.Add(time.Hour)))
	must(s.Saw(ctx, T0.Add(time.Minute))) // which is no later
	l.LastSeen = T0.Add(time.Hour)
	if got, err := s.Get(ctx, l.Kind, l.Slug); err != nil || !cmp.Equal(got, l) {
		t.Errorf("%v (-got +want):\n%s", err, cmp.Diff(got, l))
	}
	must(s.Delete(ctx, "l1"))
	must(s.Delete(ctx, "l1"))
	wantKind(t, s.Update(ctx, l), errs.NotFound)

	first := entitlement.Release{
		ID: "r1", Market: "m1", Product: "p", Instance: "i", Sealed: "s", Due: T0, Until: T0.Add(time.Hour), TryingUntil: T0.Add(1e9),
	}
	second := first
	second.ID, second.Until, second.TryingUntil = "r2", T0, time.Time{}
	must(s.PutRelease(ctx, first))
	must(s.PutRelease(ctx, second))
	first.Due, first.TryingUntil = T0.Add(2e9), time.Time{}
	must(s.PutRelease(ctx, first))
	if list, err := s.Releases(ctx); err != nil || !cmp.Equal(list, []entitlement.Release{second, first}) {
		t.Errorf("%v (-got +want):\n%s", err, cmp.Diff(list, []entitlement.Release{second, first}))
	}
	must(s.DeleteRelease(ctx, "r1"))
	must(s.DeleteRelease(ctx, "r2"))
	must(s.DeleteRelease(ctx, "r2"))
}
