package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"stoa/bench/measure"
)

// recordTarget is how much longer an operation may take that records a hook.
const recordTarget = time.Millisecond

// side is a way to do an operation.
type side struct {
	name    string
	path    string // of the instance
	webhook bool   // whether a webhook subscribes to the event of the operation

	rounds []float64 // milliseconds an operation, the median of each round
}

// record measures enabling and disabling an instance of a plugin without hooks, of one
// with them, and of that one while a webhook subscribes to the event, too. Every one of
// them writes the event. What is recorded is delivered while the next operations run.
func (b *bench) record(ctx context.Context, o options) error {
	hook, err := b.webhook(ctx, false)
	if err != nil {
		return err
	}
	without, err := b.defaultOf(ctx, plain)
	if err != nil {
		return err
	}
	with, err := b.defaultOf(ctx, hooked)
	if err != nil {
		return err
	}
	sides := []*side{
		{name: "no hook", path: without},
		{name: "a hook", path: with},
		{name: "a hook and a webhook", path: with, webhook: true},
	}
	for round := range o.rounds + 1 {
		for _, s := range sides {
			if err := b.call(ctx, http.MethodPatch, webhooks+"/"+hook, map[string]any{"enabled": s.webhook}, nil); err != nil {
				return err
			}
			took, err := b.toggle(ctx, s.path, o.round)
			if err != nil {
				return err
			}
			if round > 0 { // the first only warms up
				s.rounds = append(s.rounds, took)
			}
		}
	}
	if err := b.send(ctx, http.MethodDelete, webhooks+"/"+hook, "", nil, nil); err != nil {
		return err
	}
	fmt.Printf("\n| enabling or disabling an instance records | ms, lowest to highest of %d | added ms | target |\n"+
		"|---|---|---|---|\n", o.rounds)
	for _, s := range sides {
		fmt.Printf("| %s | %.2f, %.2f to %.2f | %+.2f | %.0f |\n", s.name, measure.Median(s.rounds), slices.Min(s.rounds),
			slices.Max(s.rounds), measure.Median(s.rounds)-measure.Median(sides[0].rounds), recordTarget.Seconds()*1e3)
	}
	return nil
}

// toggle disables and enables an instance for d, one request after the other, and returns
// the median of their times in milliseconds.
func (b *bench) toggle(ctx context.Context, path string, d time.Duration) (float64, error) {
	c, err := measure.Dial(ctx, b.stoa.Addr)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	var took []float64
	for until, on := time.Now().Add(d), false; on || time.Now().Before(until); on = !on {
		begin := time.Now()
		if _, err := c.Do(http.MethodPatch, path, b.token, fmt.Appendf(nil, `{"enabled":%v}`, on)); err != nil {
			return 0, err
		}
		took = append(took, time.Since(begin).Seconds()*1e3)
	}
	return measure.Median(took), b.quiet(ctx)
}
