package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"stoa/bench/measure"
)

// Targets: deliveries a second, and how much longer the slowest hundredth of the calls may
// take meanwhile.
const (
	drainTarget   = 500
	latencyTarget = 1.5
)

const loaders = 16 // connections that call the gateway

// Kinds of pending deliveries.
const one, many, webhook = "one", "many", "webhook"

// drains measures how fast hooks of one installation, hooks of many, and messages to one
// webhook are delivered, all of them pending at the beginning.
func (b *bench) drains(ctx context.Context, o options) error {
	if err := b.prepare(ctx, o.pending); err != nil {
		return err
	}
	fmt.Printf("\n| %d pending | delivered/s, lowest to highest of %d | target | p99 ms of %d calls/s without | with | "+
		"ratio of medians | target | CPU µs of stoa |\n|---|---|---|---|---|---|---|---|\n", o.pending, o.rounds, o.rate)
	for _, kind := range []string{one, many, webhook} {
		var rates, without, with, cpu []float64
		for range o.rounds {
			begin, used := time.Now(), measure.CPUOf(b.stoa.PID())
			p99, err := b.load(ctx, o.rate, time.After(o.round))
			if err != nil {
				return err
			}
			calls := float64(measure.CPUOf(b.stoa.PID())-used) / float64(time.Since(begin)) // the part of a processor
			without = append(without, p99)
			begin, used = time.Now(), measure.CPUOf(b.stoa.PID())
			rate, p99, err := b.drain(ctx, o, kind)
			if err != nil {
				return err
			}
			all := float64(measure.CPUOf(b.stoa.PID()) - used)
			cpu = append(cpu, (all-calls*float64(time.Since(begin)))/float64(o.pending)/1e3)
			rates, with = append(rates, rate), append(with, p99)
		}
		name := map[string]string{
			one: "hooks of one installation", many: fmt.Sprintf("hooks of %d installations", installations),
			webhook: "messages to one webhook",
		}[kind]
		fmt.Printf("| %s | %.0f, %.0f to %.0f | %d | %.2f | %.2f | %.2f | %.1f | %.0f |\n", name, measure.Median(rates),
			slices.Min(rates), slices.Max(rates), drainTarget, measure.Median(without), measure.Median(with),
			measure.Median(with)/measure.Median(without), latencyTarget, measure.Median(cpu))
	}
	return nil
}

// prepare makes n deliveries of each kind, behind stoa's back, by copying those that stoa
// made. drain makes those of a kind wait, again and again.
func (b *bench) prepare(ctx context.Context, n int) error {
	id, err := b.webhook(ctx, true)
	if err != nil {
		return err
	}
	for i := range installations {
		err := b.call(ctx, http.MethodPost, instances(hooked), map[string]any{"instanceKey": fmt.Sprint("i", i)}, nil)
		if err != nil {
			return err
		}
	}
	if err := b.quiet(ctx); err != nil {
		return err
	}
	tx, err := b.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	const defaults = `(SELECT id FROM plugin_instances WHERE instance_key = 'default')`
	for kind, which := range map[string]string{
		one: `kind = 'hook' AND target IN ` + defaults, many: `kind = 'hook' AND target NOT IN ` + defaults,
		webhook: `kind = 'webhook' AND target = '` + id + `'`,
	} {
		if err := copies(ctx, tx, kind, which, n); err != nil {
			return errors.Join(fmt.Errorf("%s: %w", kind, err), tx.Rollback())
		}
	}
	return tx.Commit()
}

// copies copies the deliveries that meet a condition, in turn, until there are n. Their ids
// begin with kind.
func copies(ctx context.Context, tx *sql.Tx, kind, which string, n int) error {
	var originals []string
	//nolint:gosec // the conditions are those of prepare
	rows, err := tx.QueryContext(ctx, `
		SELECT id FROM deliveries WHERE `+which+` AND name NOT LIKE '%isable%' ORDER BY seq`)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return err
		}
		originals = append(originals, id)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if kind == one {
		originals = originals[:1]
	}
	for i := range n {
		_, err := tx.ExecContext(ctx, `
			INSERT INTO deliveries (id, queue, lane, kind, target, owner, name, event_id, payload, keeps, state,
				attempts, tries, due_ms, created_at_ms, finished_at_ms)
			SELECT $1, queue, lane, kind, target, owner, name, event_id, payload, keeps, state,
				0, 0, NULL, created_at_ms, finished_at_ms
			FROM deliveries WHERE id = $2`, fmt.Sprintf("%s-%06d", kind, i), originals[i%len(originals)])
		if err != nil {
			return err
		}
	}
	return nil
}

// pend makes all deliveries of a kind wait.
func (b *bench) pend(ctx context.Context, kind string) error {
	tx, err := b.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	now, which := time.Now().UnixMilli(), kind+"-%"
	for _, change := range []string{
		`DELETE FROM delivery_attempts WHERE delivery_id LIKE $2 AND at_ms <= $1`,
		`UPDATE deliveries SET state = 'waiting', attempts = 0, tries = 0, due_ms = $1, finished_at_ms = NULL
			WHERE id LIKE $2`,
		`UPDATE delivery_queues SET due_ms = $1 WHERE name IN (SELECT queue FROM deliveries WHERE id LIKE $2)`,
	} {
		if _, err := tx.ExecContext(ctx, change, now, which); err != nil {
			return errors.Join(err, tx.Rollback())
		}
	}
	return tx.Commit()
}

// drain makes the deliveries of a kind wait, and returns how many a second arrive and how
// slow the gateway is meanwhile.
func (b *bench) drain(ctx context.Context, o options, kind string) (rate, p99 float64, err error) {
	before := b.told.Load()
	if err := b.pend(ctx, kind); err != nil {
		return 0, 0, err
	}
	arrived := func(n int) error {
		for b.told.Load() < before+int64(n) {
			select {
			case <-time.After(time.Millisecond):
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	}
	if err := arrived(1); err != nil {
		return 0, 0, err
	}
	begin, over := time.Now(), make(chan time.Time)
	var work errgroup.Group
	work.Go(func() error {
		defer close(over)
		err := arrived(o.pending)
		rate = float64(o.pending-1) / time.Since(begin).Seconds()
		return err
	})
	p99, err = b.load(ctx, o.rate, over)
	return rate, p99, errors.Join(err, work.Wait(), b.quiet(ctx))
}

// load calls the plugin without hooks over the gateway, rate times a second, until over, and
// returns what the slowest hundredth of the calls took at least, in milliseconds. A call
// that had to wait for the one before it has waited for stoa, too.
func (b *bench) load(ctx context.Context, rate int, over <-chan time.Time) (p99 float64, err error) {
	var (
		mu   sync.Mutex
		took []float64
		work errgroup.Group
	)
	ctx, stop := context.WithCancel(ctx)
	begin, every := time.Now(), time.Second*loaders/time.Duration(rate)
	for i := range loaders {
		work.Go(func() error {
			c, err := measure.Dial(ctx, b.stoa.Addr)
			if err != nil {
				return err
			}
			defer c.Close()
			next := begin.Add(every * time.Duration(i) / loaders)
			for ; ; next = next.Add(every) {
				select {
				case <-time.After(time.Until(next)):
				case <-ctx.Done():
					return nil
				}
				if _, err := c.Do(http.MethodGet, "/api/v1/shop/plugins/"+plain+"/api/x", "", nil); err != nil {
					return err
				}
				mu.Lock()
				took = append(took, time.Since(next).Seconds()*1e3)
				mu.Unlock()
			}
		})
	}
	<-over
	stop()
	if err := work.Wait(); err != nil {
		return 0, err
	}
	slices.Sort(took)
	return took[len(took)*99/100], nil
}
