package review_test

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"stoa/internal/app"
	"stoa/internal/base/errs"
	"stoa/internal/shop/product/producttest"
	"stoa/internal/shop/review"
	"stoa/internal/testkit"
	"stoa/internal/testkit/dbtest"
)

// movingCatalog returns a catalog whose products change their category and shelf from
// round to round. backwards reverses the order of the products.
func movingCatalog(products, round int, backwards bool) fstest.MapFS {
	var text strings.Builder
	for i := range products {
		n := i
		if backwards {
			n = products - 1 - i
		}
		one := strings.Replace(producttest.Least, "slug: a", fmt.Sprintf("slug: p%d", n), 1)
		one = strings.Replace(one, "category: c", fmt.Sprintf("category: c%d", (n+round)%7), 1)
		one = strings.TrimSuffix(strings.TrimPrefix(one, "products: ["), "}]")
		fmt.Fprintf(&text, "  - %s, published: %v}\n", one, n < 2 || (n+round)%3 > 0)
	}
	return fstest.MapFS{"c.yaml": {Data: []byte("products:\n" + text.String())}}
}

// Importers, administrators, buyers and reviewers never deadlock. The database would
// resolve a deadlock, but that takes a second, and a transaction that is retried too
// often fails.
//
// The test runs alone, because the server counts the deadlocks of all clients.
func TestConcurrentUseNeverDeadlocks(t *testing.T) { //nolint:paralleltest // as said
	url := dbtest.Postgres(t)
	deadlocks := func() (n int) {
		t.Helper()
		db, err := sql.Open("pgx", url)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if err := db.QueryRowContext(t.Context(),
			`SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := deadlocks()
	t.Run("at once", func(t *testing.T) { //nolint:paralleltest // as said
		a := testkit.New(t, func(_ testing.TB, cfg *app.Config) { cfg.DatabaseURL = url })
		m := newReviewers(t, a, 2)
		crowd(t, m)
	})
	// All connections are closed, so the server has counted everything.
	if n := deadlocks() - before; n > 0 {
		t.Errorf("%d deadlocks", n)
	}
}

func crowd(t *testing.T, m *reviewers) {
	t.Helper()
	const products = 60
	if _, err := m.Catalog.Import(t.Context(), movingCatalog(products, 0, false), "c.yaml"); err != nil {
		t.Fatal(err)
	}
	m.slugs = []string{"p0", "p1"}
	for user := range m.users {
		m.buy(t.Context(), t, user, "p0")
		m.buy(t.Context(), t, user, "p1")
	}
	var wg sync.WaitGroup
	many := func(times int, do func(ctx context.Context, i int) error) {
		wg.Go(func() {
			for i := range times {
				if err := do(t.Context(), i); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for importer := range 2 {
		many(6, func(ctx context.Context, i int) error {
			_, err := m.Catalog.Import(ctx, movingCatalog(products, i+importer+1, importer == 1), "c.yaml")
			return err
		})
	}
	for patcher := range 4 {
		many(40, func(ctx context.Context, i int) error {
			doc := fmt.Sprintf(`{"category":"c%d","featured":%v}`, (i+patcher)%7, i%2 == 0)
			_, err := m.Catalog.Update(ctx, fmt.Sprintf("p%d", (i*7+patcher*13)%products), []byte(doc), nil)
			return err
		})
	}
	many(40, func(ctx context.Context, i int) error {
		err := m.Catalog.Delete(ctx, fmt.Sprintf("p%d", i%2), nil) // it is sold
		if errs.KindOf(err) == errs.Conflict {
			return nil
		}
		return fmt.Errorf("DeleteProduct = %w, want it refused", err)
	})
	for user := range m.users {
		many(40, func(ctx context.Context, i int) error {
			m.buy(ctx, t, user, m.slugs[i%2])
			stars := i%5 + 1
			_, _, err := m.Reviews.Write(m.as(ctx, user), m.slugs[(i+1)%2], review.Request{Rating: &stars, Title: "T"})
			return err
		})
	}
	wg.Wait()
}
