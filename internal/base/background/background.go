// Package background repeats work beside what runs: at a fixed interval, such as sweeps of
// expired rows (Task), or while a call lasts (Watch). The work itself belongs to the caller.
package background

import (
	"context"
	"log/slog"
	"time"
)

// Task is work that is repeated. Every, Log and Failed are required.
type Task struct {
	Every time.Duration // from one start to the next
	Limit time.Duration // for one run; zero means none

	Log    *slog.Logger
	Failed string // the warning to log, with the error, when a run fails
}

// Run calls do at once and then every t.Every, until ctx ends. Calls never overlap: one
// that takes longer than t.Every delays the next. The context of a call ends with ctx,
// or after t.Limit.
//
// Run logs errors and goes on. Errors after the end of ctx are expected and not logged.
func (t Task) Run(ctx context.Context, do func(ctx context.Context) error) {
	tick := time.NewTicker(t.Every)
	defer tick.Stop()
	for ctx.Err() == nil {
		t.once(ctx, do)
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}

func (t Task) once(ctx context.Context, do func(ctx context.Context) error) {
	limited, cancel := ctx, context.CancelFunc(func() {})
	if t.Limit > 0 {
		limited, cancel = context.WithTimeout(ctx, t.Limit)
	}
	defer cancel()
	if err := do(limited); err != nil && ctx.Err() == nil {
		t.Log.WarnContext(ctx, t.Failed, slog.Any("err", err))
	}
}
