package account

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"stoa/internal/base/background"
	"stoa/internal/base/errs"
)

// Sessions that expired open nothing; sweeping deletes them. A sign-in leaves that to it, too.
const (
	// SweepEvery is how often KeepSwept sweeps.
	SweepEvery = time.Hour
	// sweepLag is how long ago a session must have expired to be swept: long enough
	// that no replica, however wrong its clock, takes it for alive.
	sweepLag = time.Hour
	// sweepChunk is how many users are looked up at a time.
	sweepChunk = 100
	// sweepLimit is how long one sweep may take. The next one continues.
	sweepLimit = 10 * time.Minute
)

// SweepSessions deletes the sessions that expired an hour ago or earlier and
// returns how many users they belonged to. Each user gets a transaction of its
// own, so that nobody waits long for a lock. Several replicas may call it at once.
func (s *Service) SweepSessions(ctx context.Context) (users int, err error) {
	until, after := s.Now().Add(-sweepLag), ""
	for {
		ids, err := s.Store.UsersWithExpired(ctx, until, after, sweepChunk)
		if err != nil || len(ids) == 0 {
			return users, err
		}
		for _, id := range ids {
			err := s.Store.InTx(ctx, func(tx Store) error {
				if _, err := tx.User(ctx, id); err != nil { // before its sessions: see Store
					return err
				}
				return tx.DeleteExpired(ctx, id, until)
			})
			if err := ignore(err, errs.NotFound); err != nil { // deleted meanwhile, and the sessions too
				return users, err
			}
			users++
		}
		after = ids[len(ids)-1]
	}
}

// KeepSwept sweeps sessions at once and then every SweepEvery, until ctx is done.
// A sweep that fails is logged; the next one makes up for it.
func (s *Service) KeepSwept(ctx context.Context, log *slog.Logger) {
	task := background.Task{Every: SweepEvery, Limit: sweepLimit, Log: log, Failed: "expired sessions could not be swept"}
	task.Run(ctx, func(ctx context.Context) error {
		users, err := s.SweepSessions(ctx)
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			log.InfoContext(ctx, "too many expired sessions for one sweep: the next sweep goes on", slog.Int("users", users))
			return nil
		case users > 0 && err == nil:
			log.InfoContext(ctx, "expired sessions swept", slog.Int("users", users))
		}
		return err
	})
}
