package idempotency

import (
	"context"
	"log/slog"
	"time"

	"stoa/internal/base/background"
)

const (
	// sweepEvery is how often KeepSwept sweeps.
	sweepEvery = time.Hour
	// sweepChunk is how many keys one transaction deletes: few, so that others do not wait long for
	// a lock.
	sweepChunk = 500
	// sweepLimit is the time limit for one sweep. The next one continues.
	sweepLimit = 10 * time.Minute
)

// Sweep deletes expired keys with their answers, and returns how many it deleted.
// Several replicas may call it at the same time.
func (k *Keeper) Sweep(ctx context.Context) (int, error) {
	now, total := k.now(), 0
	for {
		n, err := k.store.DeleteExpired(ctx, now, sweepChunk)
		total += n
		if err != nil || n < sweepChunk {
			return total, err
		}
	}
}

// KeepSwept sweeps at once and then every hour, until ctx ends. It logs failures.
func (k *Keeper) KeepSwept(ctx context.Context) {
	task := background.Task{
		Every: sweepEvery, Limit: sweepLimit,
		Log: k.log, Failed: "expired idempotency keys could not be swept",
	}
	task.Run(ctx, func(ctx context.Context) error {
		n, err := k.Sweep(ctx)
		if err == nil && n > 0 {
			k.log.InfoContext(ctx, "expired idempotency keys swept", slog.Int("keys", n))
		}
		return err
	})
}
