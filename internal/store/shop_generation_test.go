package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"stoa/internal/data/database"
	"stoa/internal/extension/theme"
	"stoa/internal/shop/catalog"
	"stoa/internal/shop/order"
	"stoa/internal/store"
)

func testShopGeneration(t *testing.T, open Open) {
	t.Run("whoever changes what pages show raises it", func(t *testing.T) {
		t.Parallel()
		testShopGenerationRises(t, open)
	})
	t.Run("a purchase changes lists and one product", func(t *testing.T) { t.Parallel(); testShopDownloads(t, open) })
	t.Run("it rises with the commit", func(t *testing.T) { t.Parallel(); testShopGenerationTx(t, open) })
	t.Run("only published products have one", func(t *testing.T) {
		t.Parallel()

		db := open(t)
		draft := Product("draft")
		draft.Published = false
		mustCreate(t, store.NewProducts(db), draft)
		mustCreate(t, store.NewProducts(db), Product("a"))
		for slug, want := range map[string]bool{"a": true, "draft": false, "nothing": false, "": false} {
			if now, err := store.NewShopGeneration(db).Present(t.Context(), slug); err != nil || now.OnSale != want {
				t.Errorf("%q is on sale: %t, %v; want %t", slug, now.OnSale, err, want)
			}
		}
	})
	t.Run("a theme app serves the shop while it is active", func(t *testing.T) { t.Parallel(); testShopThemeApp(t, open(t)) })
}

func testShopThemeApp(t *testing.T, db *database.DB) {
	themes := store.NewTheme(db)
	mustPut(t, themes, themeVersion("theme-shop", "pack", "1.0.0"), themeVersion("theme-app-admin", "desk", "1.0.0"),
		themeVersion("theme-app-shop", "corner", "1.0.0"))
	for _, step := range []struct {
		target theme.Target
		active theme.Choice
		want   bool
	}{
		{theme.Shop, theme.Choice{}, false},
		{theme.Admin, theme.Choice{Slug: "desk", Version: "1.0.0"}, false},
		{theme.Shop, theme.Choice{Slug: "pack", Version: "1.0.0"}, false},
		{theme.Shop, theme.Choice{Slug: "corner", Version: "1.0.0"}, true},
		{theme.Shop, theme.Choice{Slug: "corner", Version: "2.0.0"}, false}, // not installed
		{theme.Shop, theme.Choice{}, false},
	} {
		if err := themes.PutState(t.Context(), step.target, theme.State{Active: step.active}); err != nil {
			t.Fatal(err)
		}
		if now, err := store.NewShopGeneration(db).Present(t.Context(), ""); err != nil || now.ThemeApp != step.want {
			t.Errorf("%s %+v: %t, %v; want %t", step.target, step.active, now.ThemeApp, err, step.want)
		}
	}
}

// shopState is every generation of a shop with the products a and b.
type shopState struct{ shop, list, a, b catalog.Generation }

func shopStateOf(tb testing.TB, db *database.DB) (s shopState) {
	tb.Helper()
	for slug, at := range map[string]*catalog.Generation{"a": &s.a, "b": &s.b} {
		now, err := store.NewShopGeneration(db).Present(tb.Context(), slug)
		if err != nil {
			tb.Fatal(err)
		}
		s.shop, s.list, *at = now.Shop, now.List, now.Product
	}
	return s
}

// Statements of anybody count, not only the methods of the store.
func testShopGenerationRises(t *testing.T, open Open) {
	db := open(t)
	s := reviews(t, db) // of the products a and b
	mustSave(t, s, reviewOf("r", "a", "ada"))
	mustPublish(t, store.NewReleases(db), releaseOf("a", "tool", "1.0.0"))
	products := store.NewProducts(db)
	b := Product("b")
	b.Name = "Another"
	for _, step := range []struct {
		what   string
		change func(ctx context.Context) error
	}{
		{"a new product", func(ctx context.Context) error { return products.CreateProduct(ctx, Product("c")) }},
		{"an update", func(ctx context.Context) error { return products.UpdateProduct(ctx, b) }},
		{"an update of the downloads before this shop", func(ctx context.Context) error {
			b.DownloadBase += 5
			return products.UpdateProduct(ctx, b)
		}},
		{"a deleted product", func(ctx context.Context) error { return products.DeleteProduct(ctx, "prod-c") }},
		{"a tally", func(ctx context.Context) error {
			tally, err := s.Tally(ctx, "prod-a")
			tally.Stars, tally.Reviews = tally.Stars+5, tally.Reviews+1
			return errors.Join(err, s.SetTally(ctx, "prod-a", tally))
		}},
		{"a review", func(ctx context.Context) error { return s.SaveReview(ctx, reviewOf("s", "b", "bob")) }},
		{"a changed review", func(ctx context.Context) error { return s.SaveReview(ctx, reviewOf("s", "b", "bob")) }},
		{"a removed review", func(ctx context.Context) error { return s.DeleteReview(ctx, "s") }},
		{"a release", func(ctx context.Context) error {
			return store.NewReleases(db).Create(ctx, releaseOf("a", "tool", "2.0.0"))
		}},
		{"a withdrawn release", func(ctx context.Context) error {
			return store.NewReleases(db).Withdraw(ctx, "prod-a", "2.0.0", T0)
		}},
		{"settings", func(ctx context.Context) error {
			set, err := store.NewSite(db).Settings(ctx)
			set.Name = "Acme"
			return errors.Join(err, store.NewSite(db).PutSettings(ctx, set))
		}},
		{"an author's name", exec(db, `UPDATE users SET username = 'Countess', username_key = 'countess' WHERE id = 'ada'`)},
		{"a release by SQL", exec(db, `DELETE FROM product_packages WHERE version = '1.0.0'`)},
		{"a product by SQL", exec(db, `UPDATE products SET name = 'By hand' WHERE id = 'prod-a'`)},
	} {
		before := shopStateOf(t, db)
		if err := step.change(t.Context()); err != nil {
			t.Fatalf("%s: %v", step.what, err)
		}
		after := shopStateOf(t, db)
		if after.shop == before.shop || after.list == before.list || after.a == before.a || after.b == before.b {
			t.Errorf("%s: %+v, then %+v", step.what, before, after)
		}
	}
	before := shopStateOf(t, db)
	if err := store.NewAccount(db).SetPassword(t.Context(), "ada", "other"); err != nil {
		t.Fatal(err)
	}
	if after := shopStateOf(t, db); after != before {
		t.Errorf("a password changes the pages: %+v, then %+v", before, after)
	}
}

func exec(db *database.DB, statement string) func(ctx context.Context) error {
	return func(ctx context.Context) error {
		_, err := db.Conn().Write.ExecContext(ctx, statement)
		return err
	}
}

// A shop that sells much would otherwise render every page again with each purchase.
func testShopDownloads(t *testing.T, open Open) {
	db := shopDB(t, open)
	for range 2 {
		before := shopStateOf(t, db)
		if err := store.NewOrders(db).CountDownload(t.Context(), "prod-a"); err != nil {
			t.Fatal(err)
		}
		after := shopStateOf(t, db)
		if after.list == before.list || after.a == before.a {
			t.Errorf("no change: %+v, then %+v", before, after)
		}
		if after.shop != before.shop || after.b != before.b {
			t.Errorf("a change of other pages: %+v, then %+v", before, after)
		}
		// A backup of the other engine may have other parts.
		if err := exec(db, `DELETE FROM shop_generation WHERE part > 1`)(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// Nobody who reads the raised generation reads what was before the change. What is undone raises
// nothing, and purchases of different products do not wait for one another.
func testShopGenerationTx(t *testing.T, open Open) {
	db := shopDB(t, open)
	s, undone := store.NewOrders(db), errors.New("undone")
	before := shopStateOf(t, db)
	buy := func(ctx context.Context, tx order.Store, id string) error { return tx.CountDownload(ctx, id) }
	err := s.InTx(t.Context(), func(tx order.Store) error { return errors.Join(buy(t.Context(), tx, "prod-a"), undone) })
	if got := shopStateOf(t, db); !errors.Is(err, undone) || got != before {
		t.Errorf("undone: %v, %+v, want %+v", err, got, before)
	}
	err = s.InTx(t.Context(), func(tx order.Store) error {
		if err := buy(t.Context(), tx, "prod-a"); err != nil {
			return err
		}
		if got := shopStateOf(t, db); got != before {
			t.Errorf("before the commit: %+v, want %+v", got, before)
		}
		if db.Engine() == "sqlite" { // one writes at a time
			return nil
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		return s.InTx(ctx, func(other order.Store) error { return buy(ctx, other, "prod-b") })
	})
	if got := shopStateOf(t, db); err != nil || got.list == before.list || got.a == before.a {
		t.Errorf("after the commit: %v, %+v, before %+v", err, got, before)
	}
}
