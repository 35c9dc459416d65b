package store_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/base/errs"
	"stoa/internal/extension"
	"stoa/internal/extension/bundle"
	"stoa/internal/extension/install"
	"stoa/internal/extension/plugin"
	"stoa/internal/extension/theme"
	"stoa/internal/store"
)

func testBundles(t *testing.T, open Open) {
	t.Run("Bundles", func(t *testing.T) { t.Parallel(); testBundleRows(t, store.NewBundles(open(t))) })
	t.Run("Items", func(t *testing.T) { t.Parallel(); testBundleItems(t, store.NewBundles(open(t))) })
	t.Run("Transactions", func(t *testing.T) { t.Parallel(); testExtensionTx(t, open) })
}

func bundleItem(slug string, listed bool) bundle.Item {
	return bundle.Item{
		Kind: extension.Plugin, Slug: slug, Version: "1.2.3", Outcome: extension.WasUpgraded, PackageID: "id-" + slug,
		Listed: listed,
	}
}

func aBundle(tb testing.TB, slug string, items ...bundle.Item) bundle.Bundle {
	tb.Helper()
	m, err := bundle.DecodeManifest(fmt.Appendf(nil, `{"schemaVersion":1,"slug":%q,"name":"N","version":"1.0.0",`+
		`"items":[{"kind":"plugin","path":"a.zip"}]}`, slug))
	if err != nil {
		tb.Fatal(err)
	}
	return bundle.Bundle{
		ID: "id-" + slug, RequestID: "r-" + slug, Manifest: m, ZipHash: "hash-" + slug, FromMarket: true, SignedBy: "acme",
		Items: items, InstalledAt: T0, UpdatedAt: T0.Add(time.Hour),
	}
}

func putBundles(tb testing.TB, s *store.Bundles, list ...bundle.Bundle) {
	tb.Helper()
	for _, b := range list {
		if err := s.Put(tb.Context(), b); err != nil {
			tb.Fatal(err)
		}
	}
}

var sameBundle = cmp.AllowUnexported(errs.Issues{})

func testBundleRows(t *testing.T, s *store.Bundles) {
	ctx := t.Context()
	one, two := aBundle(t, "one", bundleItem("a", true), bundleItem("b", false)), aBundle(t, "two")
	putBundles(t, s, two, one)
	got, err := s.Get(ctx, "one")
	if diff := cmp.Diff(one, got, sameBundle); err != nil || diff != "" {
		t.Errorf("Get: %v\n%s", err, diff)
	}
	got, err = s.FindArchive(ctx, "hash-one")
	if diff := cmp.Diff(one, got, sameBundle); err != nil || diff != "" {
		t.Errorf("FindArchive: %v\n%s", err, diff)
	}
	_, err = s.Get(ctx, "three")
	mustBe(t, "Get of an unknown one", err, errs.NotFound)
	_, err = s.FindArchive(ctx, "three")
	mustBe(t, "FindArchive of an unknown one", err, errs.NotFound)
	for _, tt := range []struct {
		limit, offset int
		want          string
	}{{10, 0, "one two"}, {1, 0, "one"}, {1, 1, "two"}, {10, 2, ""}, {0, 0, ""}} {
		list, total, err := s.List(ctx, tt.limit, tt.offset)
		var slugs []string
		for _, b := range list {
			slugs = append(slugs, b.Manifest.Slug)
		}
		if got := strings.Join(slugs, " "); err != nil || got != tt.want || total != 2 {
			t.Errorf("List(%d, %d) = %s, %d, %v; want %s", tt.limit, tt.offset, got, total, err, tt.want)
		}
	}
	again := aBundle(t, "one", bundleItem("c", true))
	again.ID, again.RequestID, again.ZipHash, again.FromMarket, again.SignedBy = "new", "r-new", "hash-new", false, ""
	again.InstalledAt, again.UpdatedAt = T0.Add(time.Minute), T0.Add(2*time.Hour)
	putBundles(t, s, again)
	if got, err := s.Get(ctx, "one"); err != nil || !cmp.Equal(again, got, sameBundle) {
		t.Errorf("in place of another: %v\n%s", err, cmp.Diff(again, got, sameBundle))
	}
	if err := s.Delete(ctx, "one"); err != nil {
		t.Fatal(err)
	}
	mustBe(t, "Delete of an unknown one", s.Delete(ctx, "one"), errs.NotFound)
	if others, err := s.Others(ctx, "two", extension.Plugin, "id-c"); err != nil || len(others) != 0 {
		t.Errorf("items of a deleted bundle: %v, %v", others, err)
	}
}

func testBundleItems(t *testing.T, s *store.Bundles) {
	ctx := t.Context()
	other := bundleItem("a", true)
	other.Kind = extension.ThemeShop
	putBundles(t, s,
		aBundle(t, "me", bundleItem("a", true)), aBundle(t, "z", bundleItem("b", true), bundleItem("a", true)),
		aBundle(t, "n", bundleItem("a", true)), aBundle(t, "no", bundleItem("b", true), bundleItem("a", false)),
		aBundle(t, "theme", other))
	others, err := s.Others(ctx, "me", extension.Plugin, "id-a")
	if err != nil || !slices.Equal(others, []string{"n", "z"}) {
		t.Errorf("Others = %v, %v", others, err)
	}
	if err := s.Own(ctx, "z", extension.Plugin, "id-a"); err != nil {
		t.Fatal(err)
	}
	for slug, want := range map[string][]bool{"z": {false, true}, "n": {false}, "theme": {false}} {
		b, err := s.Get(ctx, slug)
		var got []bool
		for _, i := range b.Items {
			got = append(got, i.Owned)
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s owns %v, %v; want %v", slug, got, err, want)
		}
	}
}

// What the kinds record in one transaction is kept together or undone together.
func testExtensionTx(t *testing.T, open Open) {
	ctx, db := t.Context(), open(t)
	plugins := store.NewPlugin(db)
	records := store.NewExtensions(db, plugins)
	told := 0
	plugins.OnChange(func() { told++ })
	failed := errors.New("failed")
	record := func(slug string, outcome error) func(tx extension.Tx) error {
		return func(tx extension.Tx) error {
			all := tx.(interface {
				Plugins() plugin.Store
				Themes() theme.Store
				Bundles() bundle.Store
			})
			return errors.Join(
				all.Plugins().CreatePackage(ctx, pkg(slug)),
				all.Themes().PutVersion(ctx, themeVersion("theme-shop", slug, "1.0.0")),
				all.Bundles().Put(ctx, aBundle(t, slug)), outcome,
			)
		}
	}
	var _ install.Transactions = records
	for name, in := range map[string]func(fn func(extension.Tx) error) error{
		"tx":   func(fn func(extension.Tx) error) error { return records.InTx(ctx, fn) },
		"turn": func(fn func(extension.Tx) error) error { return records.InTurn(ctx, fn) },
	} {
		if err := in(record("undone", failed)); !errors.Is(err, failed) {
			t.Errorf("%s = %v", name, err)
		}
		told = 0
		if err := in(record(name, nil)); err != nil || told == 0 {
			t.Errorf("%s = %v; what keeps packages in memory was told %d times", name, err, told)
		}
		_, plugin := plugins.GetPackage(ctx, name)
		_, bundled := store.NewBundles(db).Get(ctx, name)
		if versions := versionsByNumber(t, store.NewTheme(db), theme.Shop, name); plugin != nil || bundled != nil ||
			len(versions) != 1 {
			t.Errorf("%s kept %v, %v, %v", name, plugin, bundled, versions)
		}
	}
	_, err := plugins.GetPackage(ctx, "undone")
	mustBe(t, "a package that was undone", err, errs.NotFound)
	_, err = store.NewBundles(db).Get(ctx, "undone")
	mustBe(t, "a bundle that was undone", err, errs.NotFound)
	if versions := versionsByNumber(t, store.NewTheme(db), theme.Shop, "undone"); len(versions) != 0 {
		t.Errorf("themes that were undone: %v", versions)
	}
}
