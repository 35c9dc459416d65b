package store_test

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"stoa/internal/base/errs"
	"stoa/internal/data/database"
	"stoa/internal/extension"
	"stoa/internal/shop/release"
	"stoa/internal/store"
)

// releaseOf returns a release of the product with that slug, with something in every field.
func releaseOf(product, slug, version string) release.Release {
	return release.Release{
		ProductID: "prod-" + product, Kind: extension.Plugin, Slug: slug, Version: version,
		Path: "market/" + slug + version, ZipHash: "hash-" + slug + version, SignedBy: "acme", Size: 1 << 33, PublishedAt: T0,
		Described: true, SignerKey: "key-acme", Needs: extension.Needs{Permissions: []string{"orders:read"}, MinPlatform: "0.9.0"},
	}
}

// releases returns the releases of a database with the products a, b and draft, which is not
// published.
func releases(tb testing.TB, db *database.DB) *store.Releases {
	tb.Helper()
	draft := Product("draft")
	draft.Published = false
	for _, p := range []string{"a", "b"} {
		mustCreate(tb, store.NewProducts(db), Product(p))
	}
	mustCreate(tb, store.NewProducts(db), draft)
	return store.NewReleases(db)
}

func mustPublish(tb testing.TB, s release.Store, list ...release.Release) {
	tb.Helper()
	for _, r := range list {
		if err := s.Create(tb.Context(), r); err != nil {
			tb.Fatal(err)
		}
	}
}

func testReleases(t *testing.T, open Open) {
	for name, test := range map[string]func(*testing.T, *database.DB, *store.Releases){
		"releases come back as they were stored, by product and by package": testReleasesFound,
		"a version of a package is published once, with a product there is": testReleaseOnce,
		"only published products offer":                                     testOffers,
		"the releases of a deleted product are gone":                        testReleasesGone,
		"a withdrawn release is not offered, and comes back as it was":      testReleaseWithdrawn,
		"a transaction of releases keeps everything or nothing":             testReleaseTx,
		"transactions of releases run one at a time":                        testReleaseTurns,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			db := open(t)
			test(t, db, releases(t, db))
		})
	}
}

func byVersion(a, b release.Release) int { return cmp.Compare(a.Version, b.Version) }

func testReleasesFound(t *testing.T, _ *database.DB, s *store.Releases) {
	theme := releaseOf("b", "pay", "1.0.0")
	theme.Kind, theme.Path = extension.ThemeShop, "market/theme"
	want := []release.Release{releaseOf("a", "pay", "1.0.0"), releaseOf("a", "pay", "2.0.0")}
	mustPublish(t, s, append(slices.Clone(want), theme)...)
	for name, read := range map[string]func() ([]release.Release, error){
		"OfProduct": func() ([]release.Release, error) { return s.OfProduct(t.Context(), "prod-a") },
		"OfPackage": func() ([]release.Release, error) { return s.OfPackage(t.Context(), extension.Plugin, "pay") },
	} {
		got, err := read()
		slices.SortFunc(got, byVersion)
		if diff := gocmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
	}
	for _, id := range []string{"prod-draft", "nope"} {
		if got, err := s.OfProduct(t.Context(), id); err != nil || len(got) > 0 {
			t.Errorf("OfProduct(%s) = %v, %v", id, got, err)
		}
	}
	if got, err := s.OfPackage(t.Context(), extension.Plugin, "pa"); err != nil || len(got) > 0 {
		t.Errorf("OfPackage of another = %v, %v", got, err)
	}
	paths, err := s.Paths(t.Context())
	if want := []string{"market/pay1.0.0", "market/pay2.0.0", "market/theme"}; err != nil || !slices.Equal(paths, want) {
		t.Errorf("Paths = %q, %v; want %q", paths, err, want)
	}
}

func testReleaseOnce(t *testing.T, _ *database.DB, s *store.Releases) {
	mustPublish(t, s, releaseOf("a", "pay", "1.0.0"))
	wantKind(t, s.Create(t.Context(), releaseOf("a", "pay", "1.0.0")), errs.Conflict)
	wantKind(t, s.Create(t.Context(), releaseOf("b", "pay", "1.0.0")), errs.Conflict)
	wantKind(t, s.Create(t.Context(), releaseOf("nope", "mail", "1.0.0")), errs.NotFound)
}

func testOffers(t *testing.T, _ *database.DB, s *store.Releases) {
	mustPublish(t, s, releaseOf("b", "pay", "1.0.0"), releaseOf("a", "ads", "1.0.0"), releaseOf("draft", "new", "1.0.0"))
	offers, err := s.Offers(t.Context())
	want := []release.Offer{
		{Release: releaseOf("a", "ads", "1.0.0"), ProductSlug: "a", ProductName: Product("a").Name},
		{Release: releaseOf("b", "pay", "1.0.0"), ProductSlug: "b", ProductName: Product("b").Name},
	}
	if diff := gocmp.Diff(want, offers); err != nil || diff != "" {
		t.Errorf("Offers: %v\n%s", err, diff)
	}
}

func testReleasesGone(t *testing.T, db *database.DB, s *store.Releases) {
	mustPublish(t, s, releaseOf("a", "pay", "1.0.0"), releaseOf("b", "mail", "1.0.0"))
	if err := store.NewProducts(db).DeleteProduct(t.Context(), "prod-a"); err != nil {
		t.Fatal(err)
	}
	if paths, err := s.Paths(t.Context()); err != nil || !slices.Equal(paths, []string{"market/mail1.0.0"}) {
		t.Errorf("Paths = %q, %v", paths, err)
	}
}

func testReleaseWithdrawn(t *testing.T, _ *database.DB, s *store.Releases) {
	ctx, one := t.Context(), releaseOf("a", "pay", "1.0.0")
	mustPublish(t, s, one, releaseOf("a", "pay", "2.0.0"))
	at := T0.Add(time.Hour)
	if err := s.Withdraw(ctx, "prod-a", "1.0.0", at); err != nil {
		t.Fatal(err)
	}
	mustBe(t, "Withdraw again", s.Withdraw(ctx, "prod-a", "1.0.0", at), errs.NotFound)
	mustBe(t, "Withdraw of an unknown version", s.Withdraw(ctx, "prod-a", "3.0.0", at), errs.NotFound)
	mustBe(t, "Withdraw of another product's", s.Withdraw(ctx, "prod-b", "2.0.0", at), errs.NotFound)
	got, err := s.OfProduct(ctx, "prod-a")
	slices.SortFunc(got, byVersion)
	if err != nil || len(got) != 2 || !got[0].WithdrawnAt.Equal(at) || !got[1].WithdrawnAt.IsZero() {
		t.Errorf("OfProduct = %+v, %v", got, err)
	}
	paths, err := s.Paths(ctx)
	if err != nil || !slices.Equal(paths, []string{"market/pay2.0.0"}) {
		t.Errorf("Paths = %q, %v", paths, err)
	}
	offers, err := s.Offers(ctx)
	if err != nil || len(offers) != 1 || offers[0].Version != "2.0.0" {
		t.Errorf("Offers = %+v, %v", offers, err)
	}
	other, foreign := one, one
	other.ZipHash, foreign.ProductID = "other", "prod-b"
	mustBe(t, "Create with other contents", s.Create(ctx, other), errs.Conflict)
	mustBe(t, "Create for another product", s.Create(ctx, foreign), errs.Conflict)
	one.Path, one.SignedBy, one.Size, one.PublishedAt = "market/again", "other", 7, T0.Add(2*time.Hour)
	mustPublish(t, s, one)
	got, err = s.OfProduct(ctx, "prod-a")
	slices.SortFunc(got, byVersion)
	if diff := gocmp.Diff([]release.Release{one, releaseOf("a", "pay", "2.0.0")}, got); err != nil || diff != "" {
		t.Errorf("published again: %v\n%s", err, diff)
	}
	mustBe(t, "Create of what is offered", s.Create(ctx, one), errs.Conflict)
}

func testReleaseTx(t *testing.T, _ *database.DB, s *store.Releases) {
	failed := errors.New("failed")
	err := s.InTx(t.Context(), func(tx release.Store) error {
		mustPublish(t, tx, releaseOf("a", "pay", "1.0.0"))
		if got, err := tx.OfProduct(t.Context(), "prod-a"); err != nil || len(got) != 1 {
			t.Errorf("inside the transaction: %v, %v", got, err)
		}
		return failed
	})
	if !errors.Is(err, failed) {
		t.Errorf("InTx = %v, want the error of fn", err)
	}
	if got, err := s.OfProduct(t.Context(), "prod-a"); err != nil || len(got) > 0 {
		t.Errorf("after the rollback: %v, %v", got, err)
	}
}

// Without turns, two products could take one slug: each would look before the other writes.
func testReleaseTurns(t *testing.T, _ *database.DB, s *store.Releases) {
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			err := s.InTx(t.Context(), func(tx release.Store) error {
				there, err := tx.OfPackage(t.Context(), extension.Plugin, "pay")
				if err != nil || len(there) > 0 {
					return err
				}
				return tx.Create(t.Context(), releaseOf("a", "pay", fmt.Sprintf("1.0.%d", i)))
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got, err := s.OfProduct(t.Context(), "prod-a"); err != nil || len(got) != 1 {
		t.Errorf("%d releases, %v; want one", len(got), err)
	}
}
