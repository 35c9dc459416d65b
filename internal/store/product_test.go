package store_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/base/errs"
	"stoa/internal/data/database"
	"stoa/internal/shop/catalog"
	"stoa/internal/shop/order"
	"stoa/internal/shop/product"
	"stoa/internal/store"
)

func testProducts(t *testing.T, open Open) {
	t.Run("rows", func(t *testing.T) { t.Parallel(); testProductRows(t, open) })
	t.Run("deletions", func(t *testing.T) { t.Parallel(); testProductDeletion(t, open) })
	t.Run("lists", func(t *testing.T) { t.Parallel(); testProductList(t, open) })
	t.Run("pages", func(t *testing.T) { t.Parallel(); testProductPages(t, open) })
	t.Run("lists tell whether a tier is free, whatever texts say", func(t *testing.T) {
		t.Parallel()

		c := store.NewProducts(open(t))
		for slug, change := range map[string]func(d *product.Detail){
			"paid":   func(*product.Detail) {},
			"text":   func(d *product.Detail) { d.FullDescription = `{"priceMinor":0,"currency":"EUR"}` },
			"cheap":  func(d *product.Detail) { d.Tiers[0].Price.Minor = 1 },
			"partly": func(d *product.Detail) { d.Tiers = append(d.Tiers, product.Tier{ID: "free"}) },
			"free":   func(d *product.Detail) { d.Tiers[0].Price.Minor = 0 },
		} {
			p := Product(slug)
			change(&p.Detail)
			mustCreate(t, c, p)
		}
		list, _, err := c.ListProducts(t.Context(), catalog.ListQuery{Sort: catalog.SortName, Page: 1, Limit: 10})
		var free []string
		for _, p := range list {
			if p.HasFreePlan() {
				free = append(free, p.Slug)
			}
		}
		if err != nil || len(list) != 5 || strings.Join(free, " ") != "free partly" {
			t.Errorf("of %d products, free plans have %v (%v)", len(list), free, err)
		}
	})
	t.Run("lists have translations if they are in a language", func(t *testing.T) {
		t.Parallel()

		c := store.NewProducts(open(t))
		translated, plain := Product("a"), Product("b")
		plain.Translations = nil
		mustCreate(t, c, translated)
		mustCreate(t, c, plain)
		for _, tag := range []string{"", "de"} {
			list, _, err := c.ListProducts(t.Context(), catalog.ListQuery{Sort: catalog.SortName, Page: 1, Limit: 10, Language: tag})
			if err != nil || len(list) != 2 || list[1].Translations != nil || (list[0].Translations["de"].Name != "") != (tag == "de") {
				t.Errorf("in %q: %+v, %v", tag, list, err)
			}
		}
	})
	t.Run("what fails in a transaction leaves nothing", func(t *testing.T) {
		t.Parallel()

		c, stop := store.NewProducts(open(t)), errors.New("stop")
		err := c.InTx(t.Context(), func(tx catalog.Store) error {
			return errors.Join(tx.CreateProduct(t.Context(), Product("a")), stop)
		})
		if !errors.Is(err, stop) {
			t.Fatalf("InTx = %v", err)
		}
		_, err = c.ProductBySlug(t.Context(), "a")
		wantKind(t, err, errs.NotFound)
	})
}

func testProductRows(t *testing.T, open Open) {
	t.Run("a product comes back as it was created", func(t *testing.T) {
		t.Parallel()

		c, p := store.NewProducts(open(t)), Product("mail-pack")
		mustCreate(t, c, p)
		got, err := c.ProductBySlug(t.Context(), p.Slug)
		if err != nil {
			t.Fatal(err)
		}
		p.DownloadCount, p.Rating, p.ReviewCount, p.Version = p.DownloadBase, p.RatingBase, p.ReviewBase, 1
		if diff := cmp.Diff(got, p); diff != "" {
			t.Errorf("ProductBySlug (-got +want):\n%s", diff)
		}
	})
	t.Run("a half-done draft comes back as it was created", func(t *testing.T) {
		t.Parallel()

		c, p := store.NewProducts(open(t)), Product("begun")
		p.Published, p.Category, p.ShortDescription, p.Description, p.Icon = false, "", "", "", ""
		p.Detail = product.Detail{Tiers: []product.Tier{{Unpriced: true, Price: product.Money{Currency: "EUR"}}}}
		mustCreate(t, c, p)
		got, err := c.ProductBySlug(t.Context(), p.Slug)
		if err != nil || !product.SameContent(got, p) {
			t.Errorf("ProductBySlug = %+v, %v", got, err)
		}
	})
	t.Run("an unknown slug is not found, a taken id or slug a conflict", func(t *testing.T) {
		t.Parallel()

		c, p := store.NewProducts(open(t)), Product("a")
		mustCreate(t, c, p)
		_, err := c.ProductBySlug(t.Context(), "b")
		wantKind(t, err, errs.NotFound)
		sameSlug, sameID := p, p
		sameSlug.ID, sameID.Slug = "other", "other"
		wantKind(t, c.CreateProduct(t.Context(), sameSlug), errs.Conflict)
		wantKind(t, c.CreateProduct(t.Context(), sameID), errs.Conflict)
	})
	t.Run("EachProduct returns whole products, by slug", func(t *testing.T) {
		t.Parallel()

		c := store.NewProducts(open(t))
		var want []product.Product
		for _, slug := range []string{"b", "a-c", "ab"} {
			p := Product(slug)
			p.Published = slug != "ab"
			mustCreate(t, c, p)
			p.DownloadCount, p.Rating, p.ReviewCount, p.Version = p.DownloadBase, p.RatingBase, p.ReviewBase, 1
			want = append(want, p)
		}
		want[0], want[1], want[2] = want[1], want[2], want[0]
		var got []product.Product
		err := c.EachProduct(t.Context(), func(p product.Product) error { got = append(got, p); return nil })
		if diff := cmp.Diff(got, want); err != nil || diff != "" {
			t.Errorf("EachProduct = %v (-got +want):\n%s", err, diff)
		}
		stop := errors.New("stop")
		if err := c.EachProduct(t.Context(), func(product.Product) error { return stop }); !errors.Is(err, stop) {
			t.Errorf("EachProduct = %v, want the error of fn", err)
		}
	})
	t.Run("an update keeps the slug and the counted downloads", func(t *testing.T) {
		t.Parallel()
		testProductUpdate(t, open(t))
	})
}

func testProductUpdate(t *testing.T, db *database.DB) {
	c, s, p := store.NewProducts(db), store.NewOrders(db), Product("a")
	mustCreate(t, c, p)
	for range 3 {
		if err := s.CountDownload(t.Context(), p.ID); err != nil {
			t.Fatal(err)
		}
	}
	next := p
	next.Slug, next.Name, next.CreatedAt, next.UpdatedAt = "b", "Renamed", T0.Add(time.Hour), T0.Add(2*time.Hour)
	next.DownloadBase, next.RatingBase, next.ReviewBase, next.Detail = p.DownloadBase+10, 2.25, 3, product.Detail{}
	next.Translations = map[string]product.Translation{"fr": {Name: "Nom"}}
	next.Position = -1
	if err := c.UpdateProduct(t.Context(), next); err != nil {
		t.Fatal(err)
	}
	got, err := c.ProductBySlug(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	want := next
	want.Slug, want.DownloadCount = "a", p.DownloadBase+13
	want.Rating, want.ReviewCount, want.Version = 2.25, 3, 2
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("after the update (-got +want):\n%s", diff)
	}
	next.CreatedAt, want.Version = time.Time{}, 3
	if err := c.UpdateProduct(t.Context(), next); err != nil {
		t.Fatal(err)
	}
	got, err = c.ProductBySlug(t.Context(), "a")
	if diff := cmp.Diff(got, want); err != nil || diff != "" {
		t.Errorf("after an update without a time of creation: %v (-got +want):\n%s", err, diff)
	}
	next.ID = "nobody"
	wantKind(t, c.UpdateProduct(t.Context(), next), errs.NotFound)
	wantKind(t, s.CountDownload(t.Context(), "nobody"), errs.NotFound)
}

func testProductDeletion(t *testing.T, open Open) {
	t.Run("only a product that nobody bought is deleted", func(t *testing.T) {
		t.Parallel()

		db := open(t)
		c, s, sold, unsold := store.NewProducts(db), store.NewOrders(db), Product("sold"), Product("unsold")
		mustCreate(t, c, sold)
		mustCreate(t, c, unsold)
		if err := s.CreateLicense(t.Context(), License("l1", "sold")); err != nil {
			t.Fatal(err)
		}
		for id, want := range map[string]bool{sold.ID: true, unsold.ID: false, "nobody": false} {
			if got, err := c.Sold(t.Context(), id); err != nil || got != want {
				t.Errorf("Sold(%s) = %v, %v, want %v", id, got, err, want)
			}
		}
		wantKind(t, c.DeleteProduct(t.Context(), sold.ID), errs.Conflict)
		if _, err := c.ProductBySlug(t.Context(), sold.Slug); err != nil {
			t.Errorf("after a refused deletion: %v", err)
		}
		if err := c.DeleteProduct(t.Context(), unsold.ID); err != nil {
			t.Fatal(err)
		}
		_, err := c.ProductBySlug(t.Context(), unsold.Slug)
		wantKind(t, err, errs.NotFound)
		wantKind(t, c.DeleteProduct(t.Context(), unsold.ID), errs.NotFound)
		wantKind(t, s.CreateLicense(t.Context(), License("l2", "unsold")), errs.NotFound)
		mustCreate(t, c, unsold) // id and slug are free again
	})
	t.Run("a refused deletion does not wait for locked orders and licenses", func(t *testing.T) {
		t.Parallel()

		db := open(t)
		if db.Engine() == "sqlite" {
			t.Skip("one writer at a time: nobody else can hold a lock")
		}
		c, s, p := store.NewProducts(db), store.NewOrders(db), Product("a")
		mustCreate(t, c, p)
		o := mustOrder(t, s, Order("o", "a", "user", "", T0))
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		err := s.InTx(ctx, func(tx order.Store) error {
			_, missing := tx.OrderByID(ctx, o.ID) // locks it
			_, lost := tx.LicenseByID(ctx, o.LicenseID)
			if err := errors.Join(missing, lost); err != nil {
				return err
			}
			wantKind(t, c.DeleteProduct(ctx, p.ID), errs.Conflict)
			return tx.CountDownload(ctx, p.ID)
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// Product returns a product with something in every field.
func Product(slug string) product.Product {
	return product.Product{
		ID: "prod-" + slug, Slug: slug, Name: "Name of " + slug, Description: "Long.", ShortDescription: "Short.",
		Icon: "/media/i.svg", Screenshots: []string{"/media/1.svg"}, Category: "tools", Highlights: []string{"Fast"},
		Pricing: paid(2990, "EUR"), RatingBase: 4.5, ReviewBase: 7, DownloadBase: 100,
		Featured: true, Trending: true, Published: true, CreatedAt: T0, UpdatedAt: T0,
		Detail: product.Detail{
			FullDescription: "Everything.",
			Features:        []product.FeatureSection{{Title: "T", Description: "D", Items: []string{"I"}}},
			Tiers: []product.Tier{{
				ID: "pro", Name: "Pro", Description: "For pros.", Price: product.Money{Minor: 2990, Currency: "EUR"},
				Period: product.Yearly, Features: []string{"All"}, Highlighted: true, MaxInstances: 3,
			}},
			FAQ: []product.Question{{Question: "Q", Answer: "A"}},
			Comparison: &product.Comparison{
				Columns: []string{"pro"},
				Rows:    []product.ComparisonRow{{Feature: "F", Values: map[string]any{"pro": true}}},
			},
		},
		Translations: map[string]product.Translation{"de": {
			Name: "Name auf Deutsch", Features: []product.FeatureSection{{Title: "T", Items: []string{"I"}}},
			Tiers:      map[string]product.TierWords{"pro": {Features: []string{"Alles"}}},
			Comparison: &product.TableWords{Rows: []product.RowWords{{Feature: "F auf Deutsch"}}},
		}},
	}
}

func paid(minor int64, currency string) product.Pricing {
	return product.Pricing{Type: product.Paid, Price: product.Money{Minor: minor, Currency: currency}}
}

func mustCreate(tb testing.TB, c catalog.Store, p product.Product) {
	tb.Helper()
	if err := c.CreateProduct(tb.Context(), p); err != nil {
		tb.Fatal(fmt.Errorf("create %s: %w", p.Slug, err))
	}
}
