package main

import (
	"context"
	"fmt"
	"time"

	"stoa/bench/measure"
)

const (
	workers = 4
	// afterwards is how long what an operation leaves to be done in the background may
	// take: events, receipts.
	afterwards = time.Second
)

// costs measures what each operation costs, one after the other.
func costs(ctx context.Context, o options, s *shop) error {
	fmt.Print("\n| Operation | a second | CPU µs of stoa | of the database | rows | bytes |\n|---|---|---|---|---|---|\n")
	for _, op := range s.people.operations() {
		if _, err := repeat(ctx, o.round/4, op); err != nil { // caches fill
			return fmt.Errorf("%s: %w", op.name, err)
		}
		before, err := s.usage(ctx)
		if err != nil {
			return err
		}
		begin := time.Now()
		n, err := repeat(ctx, o.round, op)
		if err != nil {
			return fmt.Errorf("%s: %w", op.name, err)
		}
		took := time.Since(begin)
		time.Sleep(afterwards)
		after, err := s.usage(ctx)
		if err != nil {
			return err
		}
		used, each := after.minus(before), 1/float64(n)
		fmt.Printf("| %s | %.0f | %.0f | %.0f | %.1f | %.0f |\n", op.name, float64(n)/took.Seconds(),
			float64(used.stoa.Microseconds())*each, float64(used.database.Microseconds())*each,
			float64(used.rows)*each, float64(used.bytes)*each)
	}
	return nil
}

// repeat does something by several workers for d and returns how often.
func repeat(ctx context.Context, d time.Duration, op operation) (int, error) {
	return measure.Repeat(ctx, workers, d, func(int) (func() error, func(), error) {
		return func() error { return op.do(ctx) }, func() {}, nil
	})
}
