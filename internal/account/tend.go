package account

import (
	"context"
	"log/slog"
	"time"

	"stoa/internal/base/background"
)

const (
	// tendEvery is how often Tend does its work.
	tendEvery = 10 * time.Minute
	// fillChunk is how many users FillMailboxes fills at a time.
	fillChunk = 500
)

// FillMailboxes stores the mailbox of each user that the previous release wrote without one, in small
// batches, so that nobody waits long for a lock. It returns how many users these were. Several
// processes may call it at once.
func (s *Service) FillMailboxes(ctx context.Context) (filled int, err error) {
	// From one user to the next: beginning anew each time would pass all that are filled, whose entries
	// an index keeps for a while.
	for last := ""; ; {
		n, next, err := s.Store.FillMailboxes(ctx, last, fillChunk)
		filled, last = filled+n, next
		if err != nil || n < fillChunk {
			return filled, err
		}
	}
}

// Tend fills mailboxes and deletes what nobody used in its time, at once and then every ten minutes,
// until ctx is done. One process at a time is enough.
func (s *Service) Tend(ctx context.Context, log *slog.Logger) {
	task := background.Task{Every: tendEvery, Limit: sweepLimit, Log: log, Failed: "accounts could not be tended"}
	task.Run(ctx, func(ctx context.Context) error {
		if err := s.Store.DeleteStale(ctx, s.Now()); err != nil {
			return err
		}
		filled, err := s.FillMailboxes(ctx)
		if filled > 0 {
			log.InfoContext(ctx, "mailboxes of accounts noted", slog.Int("users", filled))
		}
		return err
	})
}
