package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"stoa/bench/measure"
)

const (
	beside    = 4  // connections that verify
	floodSize = 16 // connections that sign in, one login after the other
	// floodTarget is how much longer the slowest hundredth of verifications may take beside a flood.
	floodTarget = 3.0
)

// flood measures how long verifications take alone and beside a flood of logins, in turns, and
// how many people sign in meanwhile. It prints a table of its own: its ratio is of times.
func flood(ctx context.Context, o options, dir string) (rows []measure.Row, err error) {
	v, err := openVerifyShop(ctx, o, dir, false, fewLicenses)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, v.close()) }()
	body := []byte(`{"email":"bench@example.com","username":"bench","password":"correct horse battery"}`)
	c, err := measure.Dial(ctx, v.process.Addr)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	if _, err := c.Do("POST", "/auth/register", "", body); err != nil {
		return nil, err
	}
	var alone, flooded floodRounds
	for range o.Rounds {
		if err := v.floodRound(ctx, &alone, o.Round, 0); err != nil {
			return nil, err
		}
		if err := v.floodRound(ctx, &flooded, o.Round, floodSize); err != nil {
			return nil, err
		}
	}
	fmt.Print("\n| | verifications/s | logins/s | p50 ms | p99 ms | p99.9 ms |\n|---|---|---|---|---|---|\n")
	alone.show("verify alone")
	flooded.show("beside a flood of logins")
	var ratios []float64
	for i := range alone.p99 {
		ratios = append(ratios, flooded.p99[i]/alone.p99[i])
	}
	fmt.Printf("\np99 beside the flood: %.1f times that without, %.1f to %.1f; target %.1f\n\n", measure.Median(ratios),
		slices.Min(ratios), slices.Max(ratios), floodTarget)
	return nil, nil
}

// floodRounds has a value of each round.
type floodRounds struct{ rates, logins, p50, p99, p999 []float64 }

func (r floodRounds) show(name string) {
	fmt.Printf("| %s | %.0f | %.0f | %.2f | %.2f, %.2f to %.2f | %.2f |\n", name, measure.Median(r.rates),
		measure.Median(r.logins), measure.Median(r.p50), measure.Median(r.p99), slices.Min(r.p99), slices.Max(r.p99),
		measure.Median(r.p999))
}

// floodRound verifies for d, while n connections sign in.
func (v verifyShop) floodRound(ctx context.Context, to *floodRounds, d time.Duration, n int) error {
	var (
		work   errgroup.Group
		logins int
		mu     sync.Mutex
		took   []float64 // ms
	)
	work.Go(func() (err error) {
		logins, err = measure.Load(ctx, v.process.Addr, n, d, func(_ int, c *measure.Client) error {
			_, err := c.Do("POST", "/auth/login", "", []byte(`{"email":"bench@example.com","password":"correct horse battery"}`))
			return err
		})
		return err
	})
	verified, err := measure.Load(ctx, v.process.Addr, beside, d, func(_ int, c *measure.Client) error {
		begin := time.Now()
		//nolint:gosec // a benchmark
		_, err := c.Do("GET", string(appendVerify(nil, v.keys[rand.IntN(len(v.keys))], rand.Uint64())), "", nil)
		ms := float64(time.Since(begin).Microseconds()) / 1000
		mu.Lock()
		defer mu.Unlock()
		took = append(took, ms)
		return err
	})
	if err := errors.Join(err, work.Wait()); err != nil {
		return err
	}
	if len(took) == 0 {
		return errors.New("nothing was verified: make rounds longer (--round)")
	}
	slices.Sort(took)
	at := func(part float64) float64 { return took[int(part*float64(len(took)-1))] }
	to.rates = append(to.rates, float64(verified)/d.Seconds())
	to.logins = append(to.logins, float64(logins)/d.Seconds())
	to.p50, to.p99, to.p999 = append(to.p50, at(0.5)), append(to.p99, at(0.99)), append(to.p999, at(0.999))
	return nil
}
