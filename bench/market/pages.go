package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"stoa/bench/measure"
)

const pageConnections = 4

// shownPages are what visitors read, each with a text that it has.
var shownPages = []struct{ name, path, text string }{
	{"catalog page", "/", `<ul class="cards">`},
	{"product page", "/p/p0", `<section id="plans"`},
}

// pages measures the shop's pages, of 10,000 products, beside a static handler.
func pages(ctx context.Context, o options, dir string) ([]measure.Row, error) {
	rows, err := pagesOn(ctx, o, dir, false)
	if err != nil || o.postgres == "" {
		return rows, err
	}
	more, err := pagesOn(ctx, o, dir, true)
	return append(rows, more...), err
}

func pagesOn(ctx context.Context, o options, dir string, onPostgres bool) (rows []measure.Row, err error) {
	s, err := newShop(ctx, o, dir+"/pages", onPostgres, listCatalog())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.drop()) }()
	p, err := s.start(ctx, "--ops-addr="+o.Ops)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Stop()) }()
	for _, page := range shownPages {
		row, err := besideStatic(ctx, o, p, page.path, page.text)
		if err != nil {
			return nil, err
		}
		row.Name, row.Target = page.name+", "+s.engine(), 0.25
		rows = append(rows, row)
	}
	return rows, nil
}

// besideStatic measures a page beside a handler that writes as many bytes.
func besideStatic(ctx context.Context, o options, p *measure.Process, path, text string) (row measure.Row, err error) {
	c, err := measure.Dial(ctx, p.Addr)
	if err != nil {
		return row, err
	}
	defer c.Close()
	answer, err := c.Do("GET", path, "", nil)
	if err != nil {
		return row, err
	}
	static, err := measure.StartStatic(ctx, len(answer))
	if err != nil {
		return row, err
	}
	defer func() { err = errors.Join(err, static.Stop()) }()
	row = measure.Row{
		Peer: fmt.Sprintf("net/http handler that writes %d constant bytes", len(answer)),
		Ours: getPage(p, path, text), Theirs: getPage(static, path, ""), PIDs: [2]int{p.PID(), static.PID()},
	}
	err = row.Run(ctx, o.Rounds, o.Round)
	return row, err
}

// getPage asks for a page again and again.
func getPage(p *measure.Process, path, text string) func(context.Context, time.Duration) (int, error) {
	return func(ctx context.Context, d time.Duration) (int, error) {
		return measure.Load(ctx, p.Addr, pageConnections, d, func(_ int, c *measure.Client) error {
			answer, err := c.Do("GET", path, "", nil)
			if err == nil && !bytes.Contains(answer, []byte(text)) {
				err = fmt.Errorf("%s is not the page", path)
			}
			return err
		})
	}
}
