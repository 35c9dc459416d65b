package leave

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"stoa/internal/base/background"
	"stoa/internal/base/errs"
)

const (
	tendEvery = 10 * time.Minute
	tendLimit = 10 * time.Minute
	// dueChunk is how many accounts are looked up at a time, billChunk how many bills are blanked.
	dueChunk, billChunk = 100, 500
	// underWay is how long after the end of a user requests of theirs may still write something, with time to spare.
	underWay = time.Hour
)

// EraseDue removes the accounts whose deletion is due, and returns how many. Each has a transaction of its own, so that
// nobody waits long for a lock, and one that fails does not hold up the others. Several processes may call it at once.
func (s *Service) EraseDue(ctx context.Context) (erased int, err error) {
	for {
		due, err := s.Store.DueDeletions(ctx, s.Now(), dueChunk)
		if err != nil {
			return erased, err
		}
		var failed error
		for _, id := range due {
			if err := s.eraseDue(ctx, id); errs.KindOf(err) != errs.NotFound && err != nil {
				failed = errors.Join(failed, err)
				continue
			}
			erased++
		}
		if failed != nil || len(due) < dueChunk {
			return erased, failed
		}
	}
}

// eraseDue removes a user whose deletion is due, unless it was called off meanwhile.
func (s *Service) eraseDue(ctx context.Context, id string) error {
	return s.Store.InTx(ctx, func(tx Store) error {
		c, err := tx.User(ctx, id)
		if err != nil || c.DeletionAt.IsZero() || c.DeletionAt.After(s.Now()) {
			return err
		}
		return s.erase(ctx, tx, c)
	})
}

// ReleaseErased takes what requests left that were under way when their user was removed from nobody, and makes it that
// of somebody who left.
func (s *Service) ReleaseErased(ctx context.Context) error {
	erased, err := s.Store.ErasedSince(ctx, s.Now().Add(-underWay))
	for _, id := range erased {
		err = errors.Join(err, s.Store.InTx(ctx, func(tx Store) error { return tx.Release(ctx, id) }))
	}
	return err
}

// BlankBills blanks the bills of those who left that were kept long enough, and returns how many.
func (s *Service) BlankBills(ctx context.Context) (blanked int, err error) {
	for {
		n, err := s.Store.BlankBills(ctx, s.Now().Add(-s.KeepBills), billChunk)
		blanked += n
		if err != nil || n < billChunk {
			return blanked, err
		}
	}
}

// Tend removes accounts, releases what they left and blanks bills when that is due, at once and then every ten minutes,
// until ctx is done. One process at a time is enough.
func (s *Service) Tend(ctx context.Context, log *slog.Logger) {
	task := background.Task{
		Every: tendEvery, Limit: tendLimit, Log: log, Failed: "accounts of people who leave could not be tended",
	}
	task.Run(ctx, func(ctx context.Context) error {
		erased, err := s.EraseDue(ctx)
		if erased > 0 {
			log.InfoContext(ctx, "accounts removed, as planned", slog.Int("users", erased))
		}
		_, failed := s.BlankBills(ctx)
		return errors.Join(err, s.ReleaseErased(ctx), failed)
	})
}
