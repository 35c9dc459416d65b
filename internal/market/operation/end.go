package operation

import (
	"context"
	"crypto/rand"
	"log/slog"
	"time"

	"stoa/internal/base/background"
)

const (
	kept       = 365 * 24 * time.Hour // of an operation that is over
	sweepEvery = 24 * time.Hour
)

// End ends an operation that is pending and was not paid, and returns it. It is pending still if its seat could not be
// given back. The errors are ErrNotFound, ErrPaid, and ErrBusy while a process carries it on.
func (s *Service) End(ctx context.Context, id string) (Operation, error) {
	o, err := s.Get(ctx, id)
	if err != nil {
		return Operation{}, err
	}
	if !o.endable() {
		return Operation{}, ErrPaid
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
	if !w.o.endable() { // it was paid in between
		w.log(ctx, slog.LevelInfo, "an operation of a market was paid before it was ended", ErrPaid)
		if err := w.goOn(ctx); err != nil {
			return Operation{}, err
		}
		return Operation{}, ErrPaid
	}
	w.fail(ctx, ErrEnded)
	return s.Get(ctx, id)
}

// endable reports whether nothing is lost when the operation ends.
func (o *Operation) endable() bool { return o.State == Pending && !o.Has(Paid) }

// Sweep deletes operations that were over a year ago, and with them the names of who began them.
func (s *Service) Sweep(ctx context.Context) error { return s.Store.Sweep(ctx, s.now().Add(-kept)) }

// KeepSwept sweeps now and every day, until ctx ends.
func (s *Service) KeepSwept(ctx context.Context) {
	task := background.Task{Every: sweepEvery, Log: s.Log, Failed: "old operations of markets cannot be deleted"}
	task.Run(ctx, s.Sweep)
}
