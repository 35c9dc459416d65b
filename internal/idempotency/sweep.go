package idempotency

import (
	"context"
	"log/slog"
	"time"
)

const (
	// sweepEvery is how often KeepSwept sweeps.
	sweepEvery = time.Hour
	// sweepChunk is how many keys are deleted in one transaction: few enough that
	// nobody waits long for a lock.
	sweepChunk = 500
	// sweepLimit is how long one sweep may take. The next goes on.
	sweepLimit = 10 * time.Minute
)

// Sweep deletes the keys that have expired, with the answers kept under them,
// and returns how many they were. Several replicas may call it at once.
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

// KeepSwept sweeps at once and then every hour, until ctx is done. A sweep that
// fails is logged; the next one makes up for it.
func (k *Keeper) KeepSwept(ctx context.Context) {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		limited, cancel := context.WithTimeout(ctx, sweepLimit)
		n, err := k.Sweep(limited)
		cancel()
		switch {
		case ctx.Err() != nil:
		case err != nil:
			k.log.WarnContext(ctx, "expired idempotency keys could not be swept", slog.Any("err", err))
		case n > 0:
			k.log.InfoContext(ctx, "expired idempotency keys swept", slog.Int("keys", n))
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}
