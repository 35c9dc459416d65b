package store_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/base/errs"
	"stoa/internal/data/database"
	"stoa/internal/extension"
	"stoa/internal/market/entitlement"
	"stoa/internal/market/operation"
	"stoa/internal/market/remote"
	"stoa/internal/store"
	"stoa/internal/trust/audit"
)

func newOperation(id string, created time.Time) operation.Stored {
	return operation.Stored{
		Operation: operation.Operation{
			ID: id, Kind: operation.Purchase, Market: "m1", Product: "mail-pack", ProductName: "Mail", Tier: "pro",
			Package: operation.Package{Kind: extension.Plugin, Slug: "courier", Version: "1.0.0"}, Grants: []string{"storage:read"},
			Actor: operation.Actor{UserID: "u1"}, Licensed: true, HandoffID: "h1", CheckoutURL: "https://a.example/x",
			ExpiresAt: created.Add(time.Hour), State: operation.Pending, Steps: []operation.Reached{}, DueAt: created, CreatedAt: created,
		},
		Sealed: "sealed",
	}
}

func testOperations(t *testing.T, open Open) {
	db := open(t)
	s := store.NewOperations(db)
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	one, two := newOperation("o1", T0), newOperation("o2", T0.Add(time.Second))
	two.Kind = operation.Trial
	mustBe(t, "without its market", s.Create(ctx, one, ""), errs.NotFound)
	must(store.NewMarkets(db).Create(ctx, remote.Market{ID: "m1", Fingerprint: "m1"}))
	must(s.Create(ctx, one, ""))
	must(s.Create(ctx, two, ""))
	if got, err := s.Get(ctx, "o1"); err != nil || !cmp.Equal(got, one) {
		t.Errorf("%v (-got +want):\n%s", err, cmp.Diff(got, one))
	}
	_, err := s.Get(ctx, "none")
	mustBe(t, "get", err, errs.NotFound)
	if list, total, err := s.List(ctx, 1, 0); err != nil || total != 2 || !cmp.Equal(list, []operation.Stored{two}) {
		t.Errorf("list: %v, %d, %v", list, total, err)
	}
	until := T0.Add(time.Minute)
	o, ok, err := s.Lease(ctx, "mine", T0, until)
	if err != nil || !ok || !cmp.Equal(o, one) {
		t.Fatalf("lease: %t, %v\n%s", ok, err, cmp.Diff(o, one))
	}
	if _, ok, err := s.Lease(ctx, "theirs", T0, until); ok || err != nil {
		t.Errorf("leased twice: %t, %v", ok, err)
	}
	if at, ok, err := s.Next(ctx); !ok || err != nil || !at.Equal(two.DueAt) {
		t.Errorf("next: %v, %t, %v", at, ok, err)
	}
	for lease, want := range map[string]bool{"mine": true, "theirs": false} {
		if ok, err := s.Renew(ctx, "o1", lease, until); ok != want || err != nil {
			t.Errorf("%s is renewed: %t, %v", lease, ok, err)
		}
	}
	one.Sealed, one.Steps = "other", []operation.Reached{{Step: operation.Paid, At: T0}}
	one.DueAt, one.Attempts = until, 3
	one.Waiting = &operation.Failure{Code: "MARKET_UNREACHABLE", Message: "Away.", Details: map[string]any{"reason": "x"}}
	mustBe(t, "keep with another lease", s.Keep(ctx, one, "theirs", true), errs.NotFound)
	entry := audit.New(ctx, T0, audit.MarketPurchase, audit.Target{Type: "market", ID: "m1"}, nil)
	must(s.Keep(ctx, one, "mine", true, entry))
	if _, ok, err := s.Take(ctx, "o1", "end", T0, until); ok || err != nil {
		t.Errorf("taken from who has it: %t, %v", ok, err)
	}
	one.State, one.DueAt, one.EndedAt = operation.Failed, time.Time{}, T0.Add(time.Hour)
	one.Failure = &operation.Failure{Code: "CONFLICT", Message: "No.", Details: map[string]any{"reason": "x"}}
	must(s.Keep(ctx, one, "mine", false))
	mustBe(t, "keep after the lease", s.Keep(ctx, one, "mine", false), errs.NotFound)
	if got, err := s.Get(ctx, "o1"); err != nil || !cmp.Equal(got, one) {
		t.Errorf("kept: %v (-got +want):\n%s", err, cmp.Diff(got, one))
	}
	if entries, _, err := store.NewAudit(db).ListEntries(ctx, audit.Query{Limit: 9}); err != nil || len(entries) != 1 {
		t.Errorf("audit: %v, %v", entries, err)
	}
	if _, ok, err := s.Take(ctx, "o1", "end", T0.Add(time.Hour), until); ok || err != nil {
		t.Errorf("taken after its end: %t, %v", ok, err)
	}
	if o, ok, err := s.Take(ctx, "o2", "early", T0, T0.Add(time.Minute)); !ok || err != nil || o.ID != "o2" || !o.DueAt.Equal(T0.Add(time.Minute)) {
		t.Errorf("taken: %v, %t, %v", o, ok, err)
	}
	if o, ok, err := s.Take(ctx, "o2", "late", T0.Add(time.Hour), T0.Add(2*time.Hour)); !ok || err != nil || o.ID != "o2" {
		t.Errorf("taken after its lease: %v, %t, %v", o, ok, err)
	}
	two.State, two.DueAt = operation.Done, time.Time{}
	must(s.Keep(ctx, two, "late", false))
	if _, ok, err := s.Next(ctx); ok || err != nil {
		t.Errorf("all are over: %t, %v", ok, err)
	}
}

// A slow market holds up its own operations only.
func testOperationTurns(t *testing.T, open Open) {
	db := open(t)
	s := store.NewOperations(db)
	ctx := t.Context()
	for _, market := range []string{"m1", "m2"} {
		if err := store.NewMarkets(db).Create(ctx, remote.Market{ID: market, Fingerprint: market}); err != nil {
			t.Fatal(err)
		}
	}
	for i, market := range []string{"m1", "m1", "m1", "m2"} {
		o := newOperation(fmt.Sprintf("o%d", i), T0.Add(time.Duration(i)))
		o.Kind, o.Market = operation.Install, market
		if err := s.Create(ctx, o, ""); err != nil {
			t.Fatal(err)
		}
	}
	now := T0.Add(time.Second)
	leased := func(want string) (o operation.Stored) {
		t.Helper()
		o, ok, err := s.Lease(ctx, "of "+want, now, now.Add(time.Minute))
		if err != nil || ok != (want != "") || o.ID != want {
			t.Fatalf("leased %q, %t, %v, want %q", o.ID, ok, err, want)
		}
		return o
	}
	first := leased("o0")
	leased("o1")
	leased("o3")
	leased("")
	first.State, first.DueAt = operation.Done, time.Time{}
	if err := s.Keep(ctx, first, "of o0", false); err != nil {
		t.Fatal(err)
	}
	leased("o2")
	now = now.Add(2 * time.Minute) // the leases are over: whoever had them was killed
	leased("o1")
	second := leased("o2")
	second.DueAt = now.Add(time.Hour) // by a clock that was ahead
	if err := s.Keep(ctx, second, "of o2", false); err != nil {
		t.Fatal(err)
	}
	leased("o3")
	leased("o2")
}

// A product is bought once at a time. What is over is not bought any more, and is swept by its end.
func testOperationEnds(t *testing.T, open Open) {
	db := open(t)
	s := store.NewOperations(db)
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(store.NewMarkets(db).Create(ctx, remote.Market{ID: "m1", Fingerprint: "m1"}))
	one := newOperation("o1", T0)
	must(s.Create(ctx, one, "mine"))
	second := newOperation("o3", T0)
	if err := s.Create(ctx, second, ""); !errors.Is(err, operation.ErrBuying) {
		t.Errorf("a second purchase: %v", err)
	}
	if id, is, err := s.Buying(ctx, "m1", "mail-pack"); id != "o1" || !is || err != nil {
		t.Errorf("buying: %q, %t, %v", id, is, err)
	}
	if _, is, err := s.Buying(ctx, "m1", "other"); is || err != nil {
		t.Errorf("buying another product: %t, %v", is, err)
	}
	one.State, one.DueAt, one.EndedAt = operation.Failed, time.Time{}, T0.Add(time.Hour)
	must(s.Keep(ctx, one, "mine", false))
	must(s.Create(ctx, second, ""))
	for _, tt := range []struct {
		until time.Time
		left  int
	}{{T0.Add(time.Hour), 2}, {T0.Add(time.Hour + time.Second), 1}} {
		must(s.Sweep(ctx, tt.until))
		if _, total, err := s.List(ctx, 9, 0); total != tt.left || err != nil {
			t.Errorf("swept until %s: %d left, %v", tt.until, total, err)
		}
	}
}

// Where archives came from is recorded with them; a market from which something is installed is in use.
func testOrigins(t *testing.T, open Open) {
	db := open(t)
	ctx := t.Context()
	records, markets := store.NewExtensions(db, store.NewPlugin(db)), store.NewMarkets(db)
	for _, id := range []string{"m1", "m2"} {
		if err := markets.Create(ctx, remote.Market{ID: id, Fingerprint: id}); err != nil {
			t.Fatal(err)
		}
	}
	set := func(traced extension.Traced) error {
		return records.InTx(ctx, func(tx extension.Tx) error {
			return tx.(interface{ Origins() extension.Origins }).Origins().SetOrigin(ctx, traced)
		})
	}
	traced := extension.Traced{
		Kind: extension.Plugin, Slug: "courier", ZipHash: "h1", Origin: extension.Origin{Market: "m2", Product: "bare", ProductName: "Bare"},
	}
	for _, market := range []string{"m2", "m1"} {
		traced.Origin.Market = market
		if err := set(traced); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := records.Origins(ctx); err != nil || !cmp.Equal(got, []extension.Traced{traced}) {
		t.Errorf("%v, %v", got, err)
	}
	used := func(want bool) {
		t.Helper()
		if got, err := markets.InUse(ctx, "m1"); got != want || err != nil {
			t.Errorf("in use: %t, %v", got, err)
		}
	}
	used(false) // nothing is installed from that archive
	operations := store.NewOperations(db)
	for _, tt := range []struct {
		id    string
		kind  operation.Kind
		steps []operation.Reached
		used  bool
	}{
		{"o1", operation.Install, nil, false},
		{"o2", operation.Install, []operation.Reached{{Step: operation.Activated, At: T0}}, true},
		{"o3", operation.Purchase, nil, true}, // somebody may pay at this moment
	} {
		o := newOperation(tt.id, T0)
		o.Kind, o.Steps = tt.kind, append(o.Steps, tt.steps...)
		err := operations.Create(ctx, o, "mine")
		used(tt.used)
		wantNeeded(t, markets, "m1", "mail-pack")
		o.State, o.DueAt = operation.Done, time.Time{}
		if err := errors.Join(err, operations.Keep(ctx, o, "mine", false)); err != nil {
			t.Fatal(err)
		}
		used(false)
		wantNeeded(t, markets, "m1")
	}
	usedByLicenses(t, db, used)
	if err := operations.Create(ctx, newOperation("o4", T0), ""); err != nil {
		t.Fatal(err)
	}
	used(true)
	gone := traced
	gone.ZipHash, gone.Origin.Market = "h2", "none"
	mustBe(t, "a market that was removed", set(gone), errs.Conflict)
	if err := set(extension.Traced{Kind: traced.Kind, Slug: traced.Slug, ZipHash: traced.ZipHash}); err != nil {
		t.Fatal(err)
	}
	if got, err := records.Origins(ctx); err != nil || len(got) != 0 {
		t.Errorf("forgotten: %v, %v", got, err)
	}
	if err := set(traced); err != nil {
		t.Fatal(err)
	}
	if err := markets.Delete(ctx, "m1"); err != nil {
		t.Fatal(err)
	}
	if got, err := records.Origins(ctx); err != nil || len(got) != 0 {
		t.Errorf("they outlive their market: %v, %v", got, err)
	}
}

// A package is from elsewhere if one version of it is.
func testElsewhere(t *testing.T, open Open) {
	db := open(t)
	ctx := t.Context()
	records := store.NewExtensions(db, store.NewPlugin(db))
	if err := store.NewMarkets(db).Create(ctx, remote.Market{ID: "m1", Fingerprint: "m1"}); err != nil {
		t.Fatal(err)
	}
	elsewhere := func(kind extension.Kind, from extension.Origin, want bool) {
		t.Helper()
		err := records.InTx(ctx, func(tx extension.Tx) error {
			got, err := tx.(interface{ Origins() extension.Origins }).Origins().Elsewhere(ctx, kind, "plain", from)
			if got != want {
				t.Errorf("%s plain from %v is elsewhere: %t", kind, from, got)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	from := extension.Origin{Market: "m1", Product: "bare"}
	elsewhere(extension.Plugin, from, false)
	for version, hash := range map[string]string{"1.0.0": "h3", "2.0.0": "h4"} {
		put := themeVersion(extension.ThemeShop, "plain", version)
		put.ID, put.ZipHash = hash, hash
		if err := store.NewTheme(db).PutVersion(ctx, put); err != nil {
			t.Fatal(err)
		}
		elsewhere(extension.ThemeShop, from, true)
		if err := records.InTx(ctx, func(tx extension.Tx) error {
			return tx.(interface{ Origins() extension.Origins }).Origins().SetOrigin(ctx,
				extension.Traced{Kind: extension.ThemeShop, Slug: "plain", ZipHash: hash, Origin: from})
		}); err != nil {
			t.Fatal(err)
		}
		elsewhere(extension.ThemeShop, from, false)
	}
	elsewhere(extension.ThemeShop, extension.Origin{Market: "m1", Product: "other"}, true)
	elsewhere(extension.ThemeAdmin, extension.Origin{Market: "m1", Product: "other"}, false)
	wantNeeded(t, store.NewMarkets(db), "m1", "bare")
	wantNeeded(t, store.NewMarkets(db), "m2")
}

// wantNeeded fails the test unless some products of a market are needed, and no others.
func wantNeeded(t *testing.T, s *store.Markets, market string, want ...string) {
	t.Helper()
	if got, err := s.Needed(t.Context(), market); err != nil || !slices.Equal(got, want) {
		t.Errorf("of %s %v is needed, %v; want %v", market, got, err, want)
	}
}

// A market is in use while a license of it is kept, and until the last seat is given back.
func usedByLicenses(t *testing.T, db *database.DB, used func(bool)) {
	t.Helper()
	s, ctx := store.NewEntitlements(db, store.NewPlugin(db)), t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	l := entitlement.License{Subject: entitlement.Subject{Kind: extension.Plugin, Slug: "pay", Market: "m1", Product: "pay"}, ID: "l1"}
	must(s.Create(ctx, l))
	used(true)
	must(s.Delete(ctx, l.ID))
	used(false)
	must(s.PutRelease(ctx, entitlement.Release{ID: "r1", Market: "m1", Product: "pay"}))
	used(true)
	must(s.DeleteRelease(ctx, "r1"))
	used(false)
}
