package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"stoa/bench/measure"
)

const discountConnections = 8

const discountCatalog = `
currency: EUR
products:
- {slug: app, name: App, category: apps, shortDescription: An app., description: An app.,
   icon: 'https://cdn.example.com/a.svg',
   pricingTiers: [{id: pro, name: Pro, price: 49.90}, {id: free, name: Free, price: 0}]}
`

// discounts measures purchases with a discount code beside those without, and prices with one beside answers
// about the product.
func discounts(ctx context.Context, o options, dir string) ([]measure.Row, error) {
	rows, err := discountsOn(ctx, o, dir, false)
	if err != nil || o.postgres == "" {
		return rows, err
	}
	more, err := discountsOn(ctx, o, dir, true)
	return append(rows, more...), err
}

func discountsOn(ctx context.Context, o options, dir string, onPostgres bool) (rows []measure.Row, err error) {
	s, err := newShop(ctx, o, dir+"/discounts", onPostgres, discountCatalog)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.drop()) }()
	if err := s.addCode(ctx); err != nil {
		return nil, err
	}
	p, err := s.start(ctx, "--ops-addr=off", "--rate-limits=off")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Stop()) }()
	const app = "/api/marketplace/products/app"
	buy := func(more, total string) func(context.Context, time.Duration) (int, error) {
		body := []byte(`{"tierId":"pro","paymentMethod":"card"` + more + `}`)
		return ask(p, "POST", app+"/purchase", body, total)
	}
	pids := [2]int{p.PID(), p.PID()}
	rows = []measure.Row{
		{
			Name: "purchase with a code, " + s.engine(), Peer: "without", Target: 0.9,
			Ours: buy(`,"discountCode":"LAUNCH20"`, `"success":true`), Theirs: buy("", `"success":true`), PIDs: pids,
		},
		{
			Name: "price with a code, " + s.engine(), Peer: "the product", Target: 0.8,
			Ours:   ask(p, "GET", app+"/price?tierId=pro&discountCode=LAUNCH20", nil, `"total":39.92`),
			Theirs: ask(p, "GET", app, nil, `"slug":"app"`), PIDs: pids,
		},
	}
	for i := range rows {
		if err := rows[i].Run(ctx, o.Rounds, o.Round); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// addCode adds a code that any number of orders may use.
func (s *shop) addCode(ctx context.Context) (err error) {
	db, err := s.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	_, err = db.ExecContext(ctx, `
		INSERT INTO discounts (id, code, percent, amount_minor, currency, products_json, tiers_json, duration, max_uses,
			active, version, created_at_ms, updated_at_ms)
		VALUES ('d1', 'LAUNCH20', 2000, 0, '', '[]', '[]', 'once', 1000000000, $1, 1, 1, 1)`, true)
	return err
}

// ask sends one request again and again, and looks for a text in its answers.
func ask(
	p *measure.Process, method, path string, body []byte, want string,
) func(context.Context, time.Duration) (int, error) {
	return func(ctx context.Context, d time.Duration) (int, error) {
		return measure.Load(ctx, p.Addr, discountConnections, d, func(_ int, c *measure.Client) error {
			answer, err := c.Do(method, path, "", body)
			if err == nil && !bytes.Contains(answer, []byte(want)) {
				err = fmt.Errorf("%s %s: %s", method, path, answer)
			}
			return err
		})
	}
}
