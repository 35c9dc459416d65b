package store_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"stoa/internal/base/errs"
	"stoa/internal/data/database"
	"stoa/internal/extension"
	"stoa/internal/market/origin"
	"stoa/internal/shop/license"
	"stoa/internal/store"
	"stoa/internal/trust/keyring"
)

func testMarket(t *testing.T, open Open) {
	for name, test := range map[string]func(*testing.T, *database.DB, *store.Market){
		"metadata comes back as it was stored, the current version first":  testMarketMetadata,
		"what was replaced is removed later, and no root":                  testMarketSweep,
		"one content of a target is current, and the others stay readable": testMarketTargets,
		"offers are described, of public products, and not withdrawn":      testMarketOffers,
		"the mark is another after each change":                            testMarketMark,
		"what the market remembers is one row":                             testMarketState,
		"a transaction of the market keeps everything or nothing":          testMarketTx,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			db := open(t)
			test(t, db, store.NewMarket(db))
		})
	}
}

func signedAt(role string, version int64, at time.Time) origin.Signed {
	return origin.Signed{Head: origin.Head{
		Role: role, Version: version, Says: "says " + role, KeyID: "k", SignedAt: at, ExpiresAt: at.Add(time.Hour),
	}, Content: []byte(`{"signed":"` + role + `"}`)}
}

func putAll(tb testing.TB, s origin.Store, list ...origin.Signed) {
	tb.Helper()
	for _, m := range list {
		if err := s.Put(tb.Context(), m); err != nil {
			tb.Fatal(err)
		}
	}
}

func testMarketMetadata(t *testing.T, _ *database.DB, s *store.Market) {
	first, second, other := signedAt("p-a", 1, T0), signedAt("p-a", 5, T0.Add(time.Minute)), signedAt("targets", 2, T0)
	putAll(t, s, first, second, other)
	for version, want := range map[int64]origin.Signed{0: second, 1: first, 5: second} {
		if got, err := s.Metadata(t.Context(), "p-a", version); err != nil || gocmp.Diff(want, got) != "" {
			t.Errorf("Metadata(%d) = %v, %v", version, got, err)
		}
	}
	for _, at := range []struct {
		role    string
		version int64
	}{{"p-a", 2}, {"p-b", 0}, {"p-b", 1}} {
		_, err := s.Metadata(t.Context(), at.role, at.version)
		wantKind(t, err, errs.NotFound)
	}
	heads, err := s.Heads(t.Context())
	if diff := gocmp.Diff([]origin.Head{second.Head, other.Head}, heads); err != nil || diff != "" {
		t.Errorf("Heads: %v\n%s", err, diff)
	}
}

func testMarketSweep(t *testing.T, _ *database.DB, s *store.Market) {
	minute := func(n int) time.Time { return T0.Add(time.Duration(n) * time.Minute) }
	for _, role := range []string{"p-a", "root"} {
		putAll(t, s, signedAt(role, 1, minute(0)), signedAt(role, 2, minute(1)), signedAt(role, 3, minute(2)))
	}
	for i, hash := range []string{"h1", "h2", "h3"} {
		if err := s.PutTarget(t.Context(), "market.json", hash, []byte("{}"), minute(i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Sweep(t.Context(), minute(2)); err != nil { // the first were replaced before, the second then
		t.Fatal(err)
	}
	for role, want := range map[string][]bool{"p-a": {false, true, true}, "root": {true, true, true}} {
		for i, there := range want {
			if _, err := s.Metadata(t.Context(), role, int64(i+1)); (err == nil) != there {
				t.Errorf("%d.%s: %v", i+1, role, err)
			}
		}
	}
	for hash, there := range map[string]bool{"h1": false, "h2": true, "h3": true} {
		if _, err := s.Target(t.Context(), "market.json", hash); (err == nil) != there {
			t.Errorf("%s: %v", hash, err)
		}
	}
}

func testMarketTargets(t *testing.T, _ *database.DB, s *store.Market) {
	for i, hash := range []string{"h1", "h2", "h1", "h1"} { // a name may be what it was before
		if err := s.PutTarget(t.Context(), "market.json", hash, []byte(hash), T0.Add(time.Duration(i)*time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Sweep(t.Context(), T0.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Target(t.Context(), "market.json", "h1"); err != nil || string(got) != "h1" {
		t.Errorf("the current content: %s, %v", got, err)
	}
	for _, at := range [][2]string{{"market.json", "h2"}, {"other.json", "h1"}} {
		_, err := s.Target(t.Context(), at[0], at[1])
		wantKind(t, err, errs.NotFound)
	}
}

func testMarketOffers(t *testing.T, db *database.DB, s *store.Market) {
	rs := releases(t, db)
	old := releaseOf("b", "pay", "1.0.0")
	old.Described, old.SignerKey, old.Needs = false, "", extension.Needs{}
	gone := releaseOf("a", "ads", "2.0.0")
	mustPublish(t, rs, releaseOf("a", "ads", "1.0.0"), gone, releaseOf("draft", "new", "1.0.0"), old)
	if err := rs.Withdraw(t.Context(), gone.ProductID, gone.Version, T0); err != nil {
		t.Fatal(err)
	}
	want := []origin.Offer{{Release: releaseOf("a", "ads", "1.0.0"), ProductSlug: "a", Paid: true}}
	if got, err := s.Offers(t.Context()); err != nil || gocmp.Diff(want, got) != "" {
		t.Errorf("Offers: %v\n%s", err, gocmp.Diff(want, got))
	}
	undescribed, err := rs.Undescribed(t.Context())
	if diff := gocmp.Diff([]any{old}, []any{undescribed[0]}); err != nil || len(undescribed) != 1 || diff != "" {
		t.Errorf("Undescribed: %v\n%s", err, diff)
	}
	described := releaseOf("b", "pay", "1.0.0")
	if err := rs.Describe(t.Context(), described); err != nil {
		t.Fatal(err)
	}
	want = append(want, origin.Offer{Release: described, ProductSlug: "b", Paid: true})
	if got, err := s.Offers(t.Context()); err != nil || gocmp.Diff(want, got) != "" {
		t.Errorf("Offers after Describe: %v\n%s", err, gocmp.Diff(want, got))
	}
	putAll(t, s, signedAt("p-deleted", 1, T0), signedAt("p-a", 1, T0), signedAt("targets", 1, T0))
	slugs, err := rs.Carriers(t.Context())
	if diff := gocmp.Diff([]string{"a", "b", "deleted", "draft"}, slugs); err != nil || diff != "" {
		t.Errorf("Carriers: %v\n%s", err, diff)
	}
}

func testMarketMark(t *testing.T, db *database.DB, s *store.Market) {
	seen := make(map[origin.Mark]bool)
	other := func(after string) origin.Mark {
		t.Helper()
		m, err := s.Mark(t.Context())
		if err != nil || seen[m] {
			t.Errorf("after %s: Mark = %+v, %v", after, m, err)
		}
		seen[m] = true
		return m
	}
	if m := other("nothing"); m.Root != 0 || m.Signer != "" {
		t.Errorf("without a market: %+v", m)
	}
	rs := releases(t, db)
	other("new products")
	mustPublish(t, rs, releaseOf("a", "ads", "1.0.0"))
	other("a release")
	if err := rs.Withdraw(t.Context(), "prod-a", "1.0.0", T0); err != nil {
		t.Fatal(err)
	}
	other("a withdrawal")
	if err := store.NewProducts(db).DeleteProduct(t.Context(), "prod-a"); err != nil {
		t.Fatal(err)
	}
	other("a deletion")
	keys := store.NewKeyring(db)
	for _, purpose := range []string{license.KeyPurpose.Name, origin.KeyPurpose.Name} {
		k := keyring.StoredKey{ID: "key " + purpose, Purpose: purpose, Stage: keyring.StageCurrent, Sealed: "s", CreatedAt: T0, StageSince: T0}
		if err := keys.AddKeyOnce(t.Context(), k); err != nil {
			t.Fatal(err)
		}
		other("a key for " + purpose)
	}
	putAll(t, s, signedAt("root", 3, T0))
	if m := other("a root"); m.Root != 3 || m.Signer != "key market" {
		t.Errorf("with a market: %+v", m)
	}
	if err := store.MarkRestored(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	if st, err := s.State(t.Context()); err != nil || st.RestoredRoot != 3 || st.RestoredKey != "key market" {
		t.Errorf("restored: %+v, %v", st, err)
	}
}

func testMarketState(t *testing.T, db *database.DB, s *store.Market) {
	if err := store.MarkRestored(t.Context(), db); err != nil { // without a market there is nothing to note
		t.Fatal(err)
	}
	if st, err := s.State(t.Context()); err != nil || st != (origin.State{}) {
		t.Errorf("State = %+v, %v", st, err)
	}
	for _, want := range []origin.State{{Signed: "a", Warned: "1/60", RestoredRoot: 2, RestoredKey: "k"}, {Signed: "b"}} {
		if err := s.PutState(t.Context(), want); err != nil {
			t.Fatal(err)
		}
		if got, err := s.State(t.Context()); err != nil || got != want {
			t.Errorf("State = %+v, %v; want %+v", got, err, want)
		}
	}
}

func testMarketTx(t *testing.T, _ *database.DB, s *store.Market) {
	failed := errors.New("failed")
	err := s.InTx(t.Context(), func(tx origin.Store) error {
		putAll(t, tx, signedAt("p-a", 1, T0))
		return failed
	})
	if !errors.Is(err, failed) {
		t.Error(err)
	}
	if heads, err := s.Heads(t.Context()); err != nil || len(heads) > 0 {
		t.Errorf("Heads after a failure: %v, %v", heads, err)
	}
	var wg sync.WaitGroup
	for range 8 { // one at a time: each sees the version of the one before
		wg.Go(func() {
			err := s.InTx(context.WithoutCancel(t.Context()), func(tx origin.Store) error {
				was, err := tx.Metadata(t.Context(), "p-a", 0)
				if err != nil && errs.KindOf(err) != errs.NotFound {
					return err
				}
				return tx.Put(t.Context(), signedAt("p-a", was.Version+1, T0))
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if m, err := s.Metadata(t.Context(), "p-a", 0); err != nil || m.Version != 8 {
		t.Errorf("version %d, %v; want 8", m.Version, err)
	}
}
