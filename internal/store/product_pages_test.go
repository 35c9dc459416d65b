package store_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa/internal/shop/catalog"
	"stoa/internal/shop/product"
	"stoa/internal/store"
)

var sorts = []catalog.Sort{
	catalog.SortFeatured, catalog.SortNewest, catalog.SortRating, catalog.SortDownloads, catalog.SortPrice,
	catalog.SortName,
}

// listedProducts returns products that each order of the list puts in another sequence.
func listedProducts(t *testing.T, open Open) *store.Products {
	t.Helper()
	c := store.NewProducts(open(t))
	add := func(slug string, change func(*product.Product)) {
		p := Product(slug)
		p.Featured, p.Trending, p.Published = false, false, true
		change(&p)
		mustCreate(t, c, p)
	}
	add("a", func(p *product.Product) {
		p.Name, p.Category, p.Featured, p.DownloadBase, p.RatingBase, p.Pricing = "Éclair", "z", true, 5, 1, paid(900, "EUR")
	})
	add("b", func(p *product.Product) {
		p.Name, p.Category, p.DownloadBase, p.RatingBase = "beta", "a", 50, 4.5
		p.Pricing, p.CreatedAt = paid(500, "JPY"), T0.Add(time.Hour)
	})
	add("c", func(p *product.Product) {
		p.Name, p.Category, p.DownloadBase, p.RatingBase, p.ReviewBase = "Alpha 100%", "B", 50, 4.5, 99
		p.Pricing = product.Pricing{Type: product.Free}
	})
	add("d", func(p *product.Product) {
		p.Name, p.Category, p.Trending, p.DownloadBase, p.RatingBase = "zeta_1", "a", true, 1, 5
		p.Pricing, p.CreatedAt = paid(1, "KWD"), T0.Add(-time.Hour)
	})
	add("hidden", func(p *product.Product) { p.Published, p.Category = false, "secret" })
	add("last", func(p *product.Product) {
		p.Published, p.Category, p.Position, p.Featured, p.DownloadBase = false, "secret", 1, true, 1000
	})
	add("first", func(p *product.Product) { p.Published, p.Category, p.Position, p.DownloadBase = false, "secret", -1, 0 })
	return c
}

func testProductList(t *testing.T, open Open) {
	c := listedProducts(t, open)
	yes, no := true, false
	tests := []struct {
		name  string
		query catalog.ListQuery
		want  string
		total int
	}{
		{"featured first, then downloads, then id", catalog.ListQuery{}, "a b c d", 4},
		{"drafts, by position before downloads", catalog.ListQuery{Shelf: catalog.Drafts}, "last first hidden", 3},
		{"drafts of a search", catalog.ListQuery{Shelf: catalog.Drafts, Search: "hidden"}, "hidden", 1},
		{"everything", catalog.ListQuery{Shelf: catalog.AnyShelf}, "a last first hidden b c d", 7},
		{"everything of a kind", catalog.ListQuery{Shelf: catalog.AnyShelf, Featured: &yes}, "a last", 2},
		{"newest", catalog.ListQuery{Sort: catalog.SortNewest}, "b a c d", 4},
		{"rating, then reviews", catalog.ListQuery{Sort: catalog.SortRating}, "d c b a", 4},
		{"downloads", catalog.ListQuery{Sort: catalog.SortDownloads}, "b c a d", 4},
		{"price by face value", catalog.ListQuery{Sort: catalog.SortPrice}, "c d a b", 4},
		{"name, ignoring case, by code point", catalog.ListQuery{Sort: catalog.SortName}, "c b d a", 4},
		{"a category", catalog.ListQuery{Category: "a"}, "b d", 2},
		{"a category in another case", catalog.ListQuery{Category: "A"}, "", 0},
		{"an unpublished category", catalog.ListQuery{Category: "secret"}, "", 0},
		{"featured", catalog.ListQuery{Featured: &yes}, "a", 1},
		{"not trending", catalog.ListQuery{Trending: &no}, "a b c", 3},
		{"search in any case and form", catalog.ListQuery{Search: "E\u0301CLAIR"}, "a", 1},
		{"search for every word", catalog.ListQuery{Search: "alpha 100"}, "c", 1},
		{"search takes wildcards literally", catalog.ListQuery{Search: "a_"}, "d", 1},
		{"percent too", catalog.ListQuery{Search: "%"}, "c", 1},
		{"and the escape character", catalog.ListQuery{Search: "~"}, "", 0},
		{"a page", catalog.ListQuery{Page: 2, Limit: 3}, "d", 4},
		{"just beyond the last page", catalog.ListQuery{Page: 3, Limit: 2}, "", 4},
		{"far beyond the last page", catalog.ListQuery{Page: 1 << 62, Limit: 100}, "", 4},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			if got, total := slugsOf(t, c, tt.query); got != tt.want || total != tt.total {
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

// slugsOf returns the slugs of a page, by default the first with ten products, and the total.
func slugsOf(t *testing.T, c *store.Products, q catalog.ListQuery) (slugs string, total int) {
	t.Helper()
	q.Page, q.Limit, q.Sort = cmp.Or(q.Page, 1), cmp.Or(q.Limit, 10), cmp.Or(q.Sort, catalog.SortFeatured)
	list, total, err := c.ListProducts(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, p := range list {
		all = append(all, p.Slug)
		if p.Detail.Tiers != nil {
			t.Error("a list has details")
		}
	}
	return strings.Join(all, " "), total
}

func testProductPages(t *testing.T, open Open) {
	t.Run("pages of every size and order make the whole list", func(t *testing.T) {
		t.Parallel()
		testPagesMakeTheList(t, store.NewProducts(open(t)))
	})
	t.Run("totals and categories follow every change", func(t *testing.T) {
		t.Parallel()
		testCounts(t, store.NewProducts(open(t)))
	})
	t.Run("a total is of the same moment as its page", func(t *testing.T) {
		t.Parallel()
		testTotalOfTheMoment(t, store.NewProducts(open(t)))
	})
}

// shuffled returns n products with few different values, so that most comparisons
// are decided by the id.
func shuffled(n int) []product.Product {
	rnd := rand.New(rand.NewPCG(1, uint64(n)))
	list := make([]product.Product, n)
	for i := range list {
		p := Product(fmt.Sprintf("p%03d", i))
		p.ID = fmt.Sprintf("%04d", rnd.IntN(10_000)*1000+i)
		p.Name, p.Category = fmt.Sprint("Name ", rnd.IntN(5)), fmt.Sprint("c", rnd.IntN(3))
		p.Featured, p.Trending, p.Published = rnd.IntN(5) == 0, rnd.IntN(2) == 0, rnd.IntN(8) != 0
		p.DownloadBase, p.RatingBase, p.ReviewBase = rnd.IntN(4), float64(rnd.IntN(3)), rnd.IntN(3)
		p.Pricing, p.CreatedAt = paid(int64(1+rnd.IntN(5)), "EUR"), T0.Add(time.Duration(rnd.IntN(5))*time.Hour)
		list[i] = p
	}
	return list
}

func testPagesMakeTheList(t *testing.T, c *store.Products) {
	yes := true
	for _, p := range shuffled(60) {
		mustCreate(t, c, p)
	}
	slugs := func(q catalog.ListQuery) (out []string, total int) {
		t.Helper()
		list, total, err := c.ListProducts(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range list {
			out = append(out, p.Slug)
		}
		return out, total
	}
	for _, sort := range sorts {
		for name, q := range map[string]catalog.ListQuery{
			"all": {}, "category": {Category: "c1"}, "trending": {Trending: &yes}, "search": {Search: "name 3"},
		} {
			q.Sort, q.Page, q.Limit = sort, 1, 100
			whole, total := slugs(q)
			if len(whole) != total || total < 3 {
				t.Fatalf("%s by %s: %d products of %d", name, sort, len(whole), total)
			}
			for _, q.Limit = range []int{1, 2, 7, total - 1, total, total + 1} {
				var pages []string
				for q.Page = 1; ; q.Page++ {
					page, n := slugs(q)
					if n != total || len(page) > q.Limit {
						t.Fatalf("%s by %s, page %d of %d: %d products of %d, want at most the limit of %d",
							name, sort, q.Page, q.Limit, len(page), n, total)
					}
					if len(page) == 0 {
						break
					}
					pages = append(pages, page...)
				}
				if !slices.Equal(pages, whole) {
					t.Errorf("%s by %s in pages of %d:\n%v, want\n%v", name, sort, q.Limit, pages, whole)
				}
			}
		}
	}
}

// testCounts has several administrators create, move, publish and withdraw products
// at the same time, each their own products.
func testCounts(t *testing.T, c *store.Products) {
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		final = make(map[string]product.Product)
	)
	for admin := range 4 {
		wg.Go(func() {
			rnd := rand.New(rand.NewPCG(7, uint64(admin)))
			for i := range 10 {
				p := Product(fmt.Sprintf("a%d-%d", admin, i))
				p.Category, p.Published = fmt.Sprint("c", rnd.IntN(4)), rnd.IntN(3) > 0
				err := c.InTx(t.Context(), func(tx catalog.Store) error {
					if err := tx.CreateProduct(t.Context(), p); err != nil {
						return err
					}
					for range 3 {
						p.Category, p.Published = fmt.Sprint("c", rnd.IntN(4)), rnd.IntN(3) > 0
						if err := tx.UpdateProduct(t.Context(), p); err != nil {
							return err
						}
					}
					return nil
				})
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				final[p.Slug] = p
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	want := make(map[string]int) // published products by category; "" for all
	for _, p := range final {
		if p.Published {
			want[p.Category]++
			want[""]++
		}
	}
	var categories []string
	for _, category := range []string{"", "c0", "c1", "c2", "c3", "none"} {
		q := catalog.ListQuery{Category: category, Sort: catalog.SortName, Page: 1, Limit: 1}
		_, total, err := c.ListProducts(t.Context(), q)
		if err != nil || total != want[category] {
			t.Errorf("%d products of category %q, %v; want %d", total, category, err, want[category])
		}
		if category != "" && want[category] > 0 {
			categories = append(categories, category)
		}
	}
	if got, err := c.Categories(t.Context()); err != nil || !slices.Equal(got, categories) {
		t.Errorf("categories %q, %v; want %q", got, err, categories)
	}
}

// testTotalOfTheMoment reads the last page, which depends on the total, while a
// product comes and goes.
func testTotalOfTheMoment(t *testing.T, c *store.Products) {
	for i := range 10 {
		p := Product(fmt.Sprintf("p%d", i))
		p.Featured, p.Published = i%2 == 0, i < 9
		mustCreate(t, c, p)
	}
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for on := true; ; on = !on {
			select {
			case <-stop:
				return
			default:
			}
			p := Product("p9")
			p.Published = on
			if err := c.UpdateProduct(t.Context(), p); err != nil {
				t.Error(err)
				return
			}
		}
	})
	seen := make(map[string]bool)
	for range 200 {
		list, total, err := c.ListProducts(t.Context(), catalog.ListQuery{Sort: catalog.SortNewest, Page: 2, Limit: 6})
		if err != nil {
			t.Error(err)
			break
		}
		var slugs []string
		for _, p := range list {
			slugs = append(slugs, p.Slug)
		}
		seen[fmt.Sprint(total, " ", strings.Join(slugs, " "))] = true
	}
	close(stop)
	wg.Wait()
	for s := range seen {
		if s != "9 p6 p7 p8" && s != "10 p6 p7 p8 p9" {
			t.Errorf("a page that was never true: %s", s)
		}
	}
}
