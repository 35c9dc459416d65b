package review_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"

	"stoa/internal/account"
	"stoa/internal/base/errs"
	"stoa/internal/base/reqctx"
	"stoa/internal/shop/order"
	"stoa/internal/shop/product/producttest"
	"stoa/internal/shop/review"
	"stoa/internal/testkit"
)

// reviewers is a shop with products, and users with licenses of all of them.
type reviewers struct {
	*testkit.App
	slugs []string
	users []string // their ids
}

// baseCatalog returns a catalog of the reviewed products with those numbers.
func baseCatalog(slugs []string, rating float64, reviews, downloads int) fstest.MapFS {
	var text strings.Builder
	for _, slug := range slugs {
		one := strings.TrimSuffix(
			strings.TrimPrefix(strings.Replace(producttest.Least, "slug: a", "slug: "+slug, 1), "products: ["), "}]")
		fmt.Fprintf(&text, "  - %s, rating: %v, reviewCount: %d, downloadCount: %d}\n", one, rating, reviews, downloads)
	}
	return fstest.MapFS{"c.yaml": {Data: []byte("products:\n" + text.String())}}
}

func newReviewers(t *testing.T, a *testkit.App, users int) *reviewers {
	t.Helper()
	m := &reviewers{App: a, slugs: []string{"one", "two"}}
	if _, err := a.Catalog.Import(t.Context(), baseCatalog(m.slugs, 4.5, 3, 10), "c.yaml"); err != nil {
		t.Fatal(err)
	}
	for i := range users {
		name := fmt.Sprintf("user%d", i)
		tokens, err := a.Accounts.Register(t.Context(),
			account.Registration{Email: name + "@example.com", Username: name, Password: testkit.Password})
		if err != nil {
			t.Fatal(err)
		}
		m.users = append(m.users, tokens.User.ID)
		for _, slug := range m.slugs {
			m.buy(t.Context(), t, i, slug)
		}
	}
	return m
}

func (m *reviewers) as(ctx context.Context, user int) context.Context {
	return reqctx.WithCaller(ctx, reqctx.Caller{UserID: m.users[user], Role: reqctx.RoleUser})
}

func (m *reviewers) buy(ctx context.Context, t testing.TB, user int, slug string) {
	t.Helper()
	if _, err := m.Orders.Purchase(m.as(ctx, user), slug,
		order.PurchaseRequest{TierID: "t", PaymentMethod: "card"}); err != nil {
		t.Error(err)
	}
}

// step is one action of one user.
type step struct {
	What  string
	User  int
	Slug  string
	Stars int
}

func drawStep(users int, slugs []string) *rapid.Generator[step] {
	return rapid.Custom(func(t *rapid.T) step {
		return step{
			What: rapid.SampledFrom([]string{"write", "write", "write", "withdraw", "hide", "show", "remove", "import", "buy"}).
				Draw(t, "what"),
			User: rapid.IntRange(0, users-1).
				Draw(t, "user"),
			Slug: rapid.SampledFrom(slugs).Draw(t, "slug"), Stars: rapid.IntRange(1, 5).Draw(t, "stars"),
		}
	})
}

// do runs a step. It accepts errors about a missing or hidden review.
func (m *reviewers) do(ctx context.Context, t *testing.T, s step) {
	t.Helper()
	var err error
	switch s.What {
	case "write":
		_, _, err = m.Reviews.Write(m.as(ctx, s.User), s.Slug, review.Request{Rating: &s.Stars, Title: "T"})
	case "withdraw":
		err = m.Reviews.Withdraw(m.as(ctx, s.User), s.Slug)
	case "import":
		_, err = m.Catalog.Import(ctx, baseCatalog(m.slugs, float64(s.Stars)-0.5, 10*s.User, 100*s.Stars), "c.yaml")
	case "buy":
		m.buy(ctx, t, s.User, s.Slug)
	default:
		p, failed := m.Catalog.Published(ctx, s.Slug)
		if failed != nil {
			t.Error(failed)
			return
		}
		r, failed := m.Reviews.Store.ReviewBy(ctx, p.ID, m.users[s.User])
		switch {
		case failed != nil:
			err = failed
		case s.What == "remove":
			err = m.Reviews.Remove(ctx, r.ID)
		default:
			_, err = m.Reviews.SetHidden(ctx, r.ID, s.What == "hide")
		}
	}
	if kind := errs.KindOf(err); err != nil && kind != errs.NotFound && kind != errs.Conflict {
		t.Errorf("%+v: %v", s, err)
	}
}

// check compares the numbers of the products with those computed from the rows.
func (m *reviewers) check(ctx context.Context, t *rapid.T, purchases map[string]int) {
	for _, slug := range m.slugs {
		p, err := m.Catalog.Published(ctx, slug)
		if err != nil {
			t.Fatal(err)
		}
		shown := false
		rows, total, err := m.Reviews.Find(ctx, review.Query{ProductSlug: slug, Hidden: &shown, Limit: 1000})
		if err != nil || total != len(rows) {
			t.Fatal(total, len(rows), err)
		}
		var stars []int
		for _, r := range rows {
			stars = append(stars, r.Rating)
		}
		if want := average(p.RatingBase, p.ReviewBase, stars); p.Rating != want || p.ReviewCount != p.ReviewBase+len(stars) {
			t.Errorf("%s shows %v of %d; its reviews %v with %v of %d make %v", slug, p.Rating, p.ReviewCount, stars,
				p.RatingBase, p.ReviewBase, want)
		}
		if want := p.DownloadBase + purchases[slug]; p.DownloadCount != want {
			t.Errorf("%s shows %d downloads, want %d", slug, p.DownloadCount, want)
		}
	}
}

// Whatever users do at the same time, the numbers of a product follow from its reviews
// and purchases.
func TestRatingsAreTrueWhateverHappensAtOnce(t *testing.T) {
	t.Parallel()

	testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) {
		const users, rounds = 4, 30
		m := newReviewers(t, a, users)
		purchases := map[string]int{"one": users, "two": users}
		done := 0
		rapid.Check(t, func(rt *rapid.T) {
			// Each round continues from the state of the last one.
			if done++; done > rounds {
				return
			}
			steps := rapid.SliceOfN(drawStep(users, m.slugs), 2, 16).Draw(rt, "steps")
			var wg sync.WaitGroup
			for _, s := range steps {
				wg.Go(func() { m.do(t.Context(), t, s) })
			}
			wg.Wait()
			for _, s := range steps {
				if s.What == "buy" {
					purchases[s.Slug]++
				}
			}
			m.check(t.Context(), rt, purchases)
		})
	})
}
