package storetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa/internal/market"
	"stoa/internal/store"
)

var sorts = []market.Sort{market.SortFeatured, market.SortNewest, market.SortRating, market.SortDownloads, market.SortPrice, market.SortName}

func testProductPages(t *testing.T, open Open) {
	t.Run("pages of every size and order make the whole list", func(t *testing.T) { t.Parallel(); testPagesMakeTheList(t, store.NewProducts(open(t))) })
	t.Run("totals and categories follow every change", func(t *testing.T) { t.Parallel(); testCounts(t, store.NewProducts(open(t))) })
	t.Run("a total is of the same moment as its page", func(t *testing.T) { t.Parallel(); testTotalOfTheMoment(t, store.NewProducts(open(t))) })
}

// shuffled returns n products with few different values, so that most orders end
// at the id.
func shuffled(n int) []market.Product {
	rnd := rand.New(rand.NewPCG(1, uint64(n)))
	list := make([]market.Product, n)
	for i := range list {
		p := Product(fmt.Sprintf("p%03d", i))
		p.ID, p.Name, p.Category = fmt.Sprintf("%04d", rnd.IntN(10_000)*1000+i), fmt.Sprint("Name ", rnd.IntN(5)), fmt.Sprint("c", rnd.IntN(3))
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
	slugs := func(q market.ListQuery) (out []string, total int) {
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
		for name, q := range map[string]market.ListQuery{"all": {}, "category": {Category: "c1"}, "trending": {Trending: &yes}, "search": {Search: "name 3"}} {
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
						t.Fatalf("%s by %s, page %d of %d: %d products of %d, want at most the limit of %d", name, sort, q.Page, q.Limit, len(page), n, total)
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

// testCounts has several administrators at once create, move, publish and
// withdraw products, each their own.
func testCounts(t *testing.T, c *store.Products) {
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		final = make(map[string]market.Product)
	)
	for admin := range 4 {
		wg.Go(func() {
			rnd := rand.New(rand.NewPCG(7, uint64(admin)))
			for i := range 10 {
				p := Product(fmt.Sprintf("a%d-%d", admin, i))
				p.Category, p.Published = fmt.Sprint("c", rnd.IntN(4)), rnd.IntN(3) > 0
				err := c.InTx(t.Context(), func(tx market.Catalogue) error {
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
		_, total, err := c.ListProducts(t.Context(), market.ListQuery{Category: category, Sort: market.SortName, Page: 1, Limit: 1})
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

// testTotalOfTheMoment reads the last page, which is found by the total, while a
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
		list, total, err := c.ListProducts(t.Context(), market.ListQuery{Sort: market.SortNewest, Page: 2, Limit: 6})
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
			t.Errorf("a page of no moment: %s", s)
		}
	}
}
