// Package periodic runs background work now and then again at a fixed interval:
// sweeps of expired rows, for example. What the work is belongs to the caller.
package periodic

import (
	"context"
	"log/slog"
	"time"
)

// Task is work that is repeated. Every, Log and Failed are required.
type Task struct {
	Every time.Duration // from one start to the next
	Limit time.Duration // of one run; zero means no limit

	Log    *slog.Logger
	Failed string // the warning that is logged, with the error, when a run fails
}

// Run calls do at once and then every t.Every, until ctx ends. It never overlaps
// calls: one that takes longer than t.Every delays the next. The context of a call
// ends with ctx, and after t.Limit.
//
// An error is logged, and the next call makes up for it. After ctx has ended,
// errors are expected and not logged.
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
