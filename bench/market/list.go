package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"time"

	"stoa/bench/measure"
)

const (
	listConnections = 4
	listProducts    = 10_000
	listLimit       = 25
	lastPage        = listProducts / listLimit
)

// listCatalog has products that differ in everything a list is ordered by, within
// the 32 MiB a catalog may have.
func listCatalog() string {
	rnd := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // a benchmark
	var b strings.Builder
	b.WriteString("currency: EUR\nproducts:\n")
	words := strings.Repeat("Some words about it. ", 8)
	for i := range listProducts {
		fmt.Fprintf(
			&b,
			"- {slug: p%d, name: Product %d, category: category %d, shortDescription: A product., description: %q, icon: "+
				"'https://cdn.example.com/%d.svg', ",
			i,
			rnd.IntN(1_000_000),
			rnd.IntN(20),
			words,
			i,
		)
		fmt.Fprintf(
			&b,
			"highlights: [Fast, Small], rating: %d.%d, reviewCount: %d, downloadCount: %d, featured: %t, createdAt: "+
				"20%02d-%02d-%02d, ",
			rnd.IntN(5),
			rnd.IntN(10),
			rnd.IntN(1000),
			rnd.IntN(100_000),
			i%50 == 0,
			10+rnd.IntN(15),
			1+rnd.IntN(12),
			1+rnd.IntN(28),
		)
		fmt.Fprintf(
			&b,
			"pricingTiers: [{id: free, name: Free, price: 0}, {id: pro, name: Pro, price: %d.90, billingPeriod: monthly, "+
				"features: [All]}]}\n",
			1+rnd.IntN(500),
		)
	}
	return b.String()
}

// list measures pages of a long product list in every order: the last one and
// one in the middle beside the first.
func list(ctx context.Context, o options, dir string) ([]measure.Row, error) {
	rows, err := listOn(ctx, o, dir, false)
	if err != nil || o.postgres == "" {
		return rows, err
	}
	more, err := listOn(ctx, o, dir, true)
	return append(rows, more...), err
}

func listOn(ctx context.Context, o options, dir string, onPostgres bool) (rows []measure.Row, err error) {
	began := time.Now()
	s, err := newShop(ctx, o, dir+"/list", onPostgres, listCatalog())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.drop()) }()
	fmt.Fprintf(os.Stderr, "%s: %d products imported in %s\n", s.engine(), listProducts,
		time.Since(began).Round(time.Millisecond))
	if onPostgres { // as the server would by itself within a minute
		if err := measure.Execute(ctx, s.postgres, `VACUUM ANALYZE products`); err != nil {
			return nil, err
		}
	}
	p, err := s.start(ctx, "--ops-addr=off")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Stop()) }()
	for _, sort := range []string{"featured", "newest", "rating", "downloads", "price", "name"} {
		for _, page := range []int{lastPage, lastPage / 2} {
			rows = append(rows, measure.Row{
				Name: fmt.Sprintf("list by %s, page %d, %s", sort, page, s.engine()), Peer: "page 1", Target: 0.5,
				Ours: listPage(p, sort, page), Theirs: listPage(p, sort, 1), PIDs: [2]int{p.PID(), p.PID()},
			})
		}
	}
	for i := range rows { // there are many, and each request is short
		if err := rows[i].Run(ctx, o.Rounds, o.Round/4); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// listPage asks for one page again and again.
func listPage(p *measure.Process, sort string, page int) func(context.Context, time.Duration) (int, error) {
	path := fmt.Sprintf("/api/marketplace/products?sort=%s&page=%d&limit=%d", sort, page, listLimit)
	return func(ctx context.Context, d time.Duration) (int, error) {
		return measure.Load(ctx, p.Addr, listConnections, d, func(_ int, c *measure.Client) error {
			answer, err := c.Do("GET", path, "", nil)
			if got := strings.Count(string(answer), `"type":"PRODUCT"`); err == nil && got != listLimit {
				err = fmt.Errorf("%s: %d products", path, got)
			}
			return err
		})
	}
}
