package operation

import (
	"context"
	"crypto/rand"
	"time"

	"stoa/internal/base/background"
	"stoa/internal/base/reqctx"
	"stoa/internal/trust/audit"
)

const (
	kept       = 365 * 24 * time.Hour // of an operation that is over
	sweepEvery = 24 * time.Hour
)

// End ends an operation that is pending, and returns it. It is pending still if its seat could not be given back. What
// was bought stays: see fail. The errors are ErrNotFound, ErrOver, and ErrBusy while a process carries it on.
func (s *Service) End(ctx context.Context, id string) (Operation, error) {
	o, err := s.Get(ctx, id)
	if err != nil {
		return Operation{}, err
	}
	if o.State != Pending {
		return Operation{}, ErrOver
	}
	lease, now := rand.Text(), s.now()
	stored, ok, err := s.Store.Take(ctx, id, lease, now, now.Add(leaseFor))
	if err != nil {
		return Operation{}, err
	} else if !ok {
		return Operation{}, ErrBusy
	}
	w := &work{s: s, o: stored.Operation, sealed: stored.Sealed, lease: lease}
	if o, err := s.open(stored); err == nil { // else another master key sealed it, and it can end all the same
		w.o, w.sealed = o, ""
	}
	w.fail(ctx, ErrEnded, w.o.entry(ctx, reqctx.CallerFrom(ctx), audit.MarketEnd, s.now()))
	return s.Get(ctx, id)
}

// Sweep deletes operations that were over a year ago, and with them the names of who began them.
func (s *Service) Sweep(ctx context.Context) error { return s.Store.Sweep(ctx, s.now().Add(-kept)) }

// KeepSwept sweeps now and every day, until ctx ends.
func (s *Service) KeepSwept(ctx context.Context) {
	task := background.Task{Every: sweepEvery, Log: s.Log, Failed: "old operations of markets cannot be deleted"}
	task.Run(ctx, s.Sweep)
}
