package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/errs"
	"stoa/internal/market"
	"stoa/internal/store"
)

func testCatalogue(t *testing.T, open Open) {
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
	t.Run("an update keeps slug and counted downloads", func(t *testing.T) {
		t.Parallel()

		db := open(t)
		c, s, p := store.NewProducts(db), store.NewSales(db), Product("a")
		mustCreate(t, c, p)
		for range 3 {
			if err := s.CountDownload(t.Context(), p.ID); err != nil {
				t.Fatal(err)
			}
		}
		next := p
		next.Slug, next.Name, next.CreatedAt, next.UpdatedAt = "b", "Renamed", T0.Add(time.Hour), T0.Add(2*time.Hour)
		next.DownloadBase, next.RatingBase, next.ReviewBase, next.Detail = p.DownloadBase+10, 2.25, 3, market.Detail{}
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
			t.Errorf("after an update that says nothing of the creation: %v (-got +want):\n%s", err, diff)
		}
		next.ID = "nobody"
		wantKind(t, c.UpdateProduct(t.Context(), next), errs.NotFound)
		wantKind(t, s.CountDownload(t.Context(), "nobody"), errs.NotFound)
	})
	t.Run("only what nobody bought is deleted", func(t *testing.T) {
		t.Parallel()

		db := open(t)
		c, s, sold, unsold := store.NewProducts(db), store.NewSales(db), Product("sold"), Product("unsold")
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
			t.Errorf("after a deletion that was refused: %v", err)
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
	t.Run("a deletion that is refused waits for no order or licence", func(t *testing.T) {
		t.Parallel()

		db := open(t)
		if db.Engine() == "sqlite" {
			t.Skip("one writer at a time: nobody holds an order meanwhile")
		}
		c, s, p := store.NewProducts(db), store.NewSales(db), Product("a")
		mustCreate(t, c, p)
		o := mustOrder(t, s, Order("o", "a", "user", "", T0))
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		err := s.InTx(ctx, func(tx market.Sales) error {
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
	t.Run("each product comes whole, by slug", func(t *testing.T) {
		t.Parallel()

		c := store.NewProducts(open(t))
		var want []market.Product
		for _, slug := range []string{"b", "a-c", "ab"} {
			p := Product(slug)
			p.Published = slug != "ab"
			mustCreate(t, c, p)
			p.DownloadCount, p.Rating, p.ReviewCount, p.Version = p.DownloadBase, p.RatingBase, p.ReviewBase, 1
			want = append(want, p)
		}
		want[0], want[1], want[2] = want[1], want[2], want[0]
		var got []market.Product
		err := c.EachProduct(t.Context(), func(p market.Product) error { got = append(got, p); return nil })
		if diff := cmp.Diff(got, want); err != nil || diff != "" {
			t.Errorf("EachProduct = %v (-got +want):\n%s", err, diff)
		}
		stop := errors.New("stop")
		if err := c.EachProduct(t.Context(), func(market.Product) error { return stop }); !errors.Is(err, stop) {
			t.Errorf("EachProduct = %v, want what fn returned", err)
		}
	})
	t.Run("what fails in a transaction leaves nothing", func(t *testing.T) {
		t.Parallel()

		c, stop := store.NewProducts(open(t)), errors.New("stop")
		err := c.InTx(t.Context(), func(tx market.Catalogue) error {
			return errors.Join(tx.CreateProduct(t.Context(), Product("a")), stop)
		})
		if !errors.Is(err, stop) {
			t.Fatalf("InTx = %v", err)
		}
		_, err = c.ProductBySlug(t.Context(), "a")
		wantKind(t, err, errs.NotFound)
	})
	t.Run("lists", func(t *testing.T) { t.Parallel(); testProductList(t, open) })
	t.Run("pages", func(t *testing.T) { t.Parallel(); testProductPages(t, open) })
}

// testProductList has five products whose every order differs.
func testProductList(t *testing.T, open Open) {
	c := store.NewProducts(open(t))
	add := func(slug string, change func(*market.Product)) {
		p := Product(slug)
		p.Featured, p.Trending, p.Published = false, false, true
		change(&p)
		mustCreate(t, c, p)
	}
	add("a", func(p *market.Product) {
		p.Name, p.Category, p.Featured, p.DownloadBase, p.RatingBase, p.Pricing = "Éclair", "z", true, 5, 1, paid(900, "EUR")
	})
	add("b", func(p *market.Product) {
		p.Name, p.Category, p.DownloadBase, p.RatingBase, p.Pricing, p.CreatedAt = "beta", "a", 50, 4.5, paid(500, "JPY"), T0.Add(time.Hour)
	})
	add("c", func(p *market.Product) {
		p.Name, p.Category, p.DownloadBase, p.RatingBase, p.ReviewBase, p.Pricing = "Alpha 100%", "B", 50, 4.5, 99, market.Pricing{Type: market.Free}
	})
	add("d", func(p *market.Product) {
		p.Name, p.Category, p.Trending, p.DownloadBase, p.RatingBase, p.Pricing, p.CreatedAt = "zeta_1", "a", true, 1, 5, paid(1, "KWD"), T0.Add(-time.Hour)
	})
	add("hidden", func(p *market.Product) { p.Published, p.Category = false, "secret" })
	add("last", func(p *market.Product) {
		p.Published, p.Category, p.Position, p.Featured, p.DownloadBase = false, "secret", 1, true, 1000
	})
	add("first", func(p *market.Product) { p.Published, p.Category, p.Position, p.DownloadBase = false, "secret", -1, 0 })

	yes, no := true, false
	tests := []struct {
		name  string
		query market.ListQuery
		want  string
		total int
	}{
		{"featured first, then downloads, then id", market.ListQuery{}, "a b c d", 4},
		{"drafts, by position before downloads", market.ListQuery{Shelf: market.Drafts}, "last first hidden", 3},
		{"drafts of a search", market.ListQuery{Shelf: market.Drafts, Search: "hidden"}, "hidden", 1},
		{"everything", market.ListQuery{Shelf: market.AnyShelf}, "a last first hidden b c d", 7},
		{"everything of a kind", market.ListQuery{Shelf: market.AnyShelf, Featured: &yes}, "a last", 2},
		{"newest", market.ListQuery{Sort: market.SortNewest}, "b a c d", 4},
		{"rating, then reviews", market.ListQuery{Sort: market.SortRating}, "d c b a", 4},
		{"downloads", market.ListQuery{Sort: market.SortDownloads}, "b c a d", 4},
		{"price by face value", market.ListQuery{Sort: market.SortPrice}, "c d a b", 4},
		{"name without regard to case, by code point", market.ListQuery{Sort: market.SortName}, "c b d a", 4},
		{"a category", market.ListQuery{Category: "a"}, "b d", 2},
		{"a category in another case", market.ListQuery{Category: "A"}, "", 0},
		{"an unpublished category", market.ListQuery{Category: "secret"}, "", 0},
		{"featured", market.ListQuery{Featured: &yes}, "a", 1},
		{"not trending", market.ListQuery{Trending: &no}, "a b c", 3},
		{"search in any case and form", market.ListQuery{Search: "E\u0301CLAIR"}, "a", 1},
		{"search for every word", market.ListQuery{Search: "alpha 100"}, "c", 1},
		{"search takes wildcards literally", market.ListQuery{Search: "a_"}, "d", 1},
		{"percent too", market.ListQuery{Search: "%"}, "c", 1},
		{"and the escape character", market.ListQuery{Search: "~"}, "", 0},
		{"a page", market.ListQuery{Page: 2, Limit: 3}, "d", 4},
		{"just beyond the last page", market.ListQuery{Page: 3, Limit: 2}, "", 4},
		{"far beyond the last page", market.ListQuery{Page: 1 << 62, Limit: 100}, "", 4},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			q := tt.query
			q.Page, q.Limit = max(q.Page, 1), max(q.Limit, tt.query.Limit)
			if q.Limit == 0 {
				q.Limit = 10
			}
			if q.Sort == "" {
				q.Sort = market.SortFeatured
			}
			list, total, err := c.ListProducts(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			var slugs []string
			for _, p := range list {
				slugs = append(slugs, p.Slug)
				if p.Detail.Tiers != nil {
					t.Error("a list holds details")
				}
			}
			if got := strings.Join(slugs, " "); got != tt.want || total != tt.total {
				t.Errorf("ListProducts = %q of %d, want %q of %d", got, total, tt.want, tt.total)
			}
		})
	}
	t.Run("categories are sorted by code point", func(t *testing.T) {
		t.Parallel()

		got, err := c.Categories(t.Context())
		if want := []string{"B", "a", "z"}; err != nil || !slices.Equal(got, want) {
			t.Errorf("Categories = %q, %v; want %q", got, err, want)
		}
	})
}

// Product returns a product with something in every field.
func Product(slug string) market.Product {
	return market.Product{
		ID: "prod-" + slug, Slug: slug, Name: "Name of " + slug, Description: "Long.", ShortDescription: "Short.", Icon: "/media/i.svg",
		Screenshots: []string{"/media/1.svg"}, Category: "tools", Highlights: []string{"Fast"}, Pricing: paid(2990, "EUR"),
		RatingBase: 4.5, ReviewBase: 7, DownloadBase: 100, Featured: true, Trending: true, Published: true, CreatedAt: T0, UpdatedAt: T0,
		Detail: market.Detail{
			FullDescription: "Everything.",
			Features:        []market.FeatureSection{{Title: "T", Description: "D", Items: []string{"I"}}},
			Tiers: []market.Tier{{
				ID: "pro", Name: "Pro", Description: "For pros.", Price: market.Money{Minor: 2990, Currency: "EUR"}, Period: market.Yearly,
				Features: []string{"All"}, Highlighted: true, MaxInstances: 3,
			}},
			FAQ:        []market.Question{{Question: "Q", Answer: "A"}},
			Comparison: &market.Comparison{Columns: []string{"pro"}, Rows: []market.ComparisonRow{{Feature: "F", Values: map[string]any{"pro": true}}}},
		},
	}
}

func paid(minor int64, currency string) market.Pricing {
	return market.Pricing{Type: market.Paid, Price: market.Money{Minor: minor, Currency: currency}}
}

func mustCreate(tb testing.TB, c market.Catalogue, p market.Product) {
	tb.Helper()
	if err := c.CreateProduct(tb.Context(), p); err != nil {
		tb.Fatal(fmt.Errorf("create %s: %w", p.Slug, err))
	}
}
