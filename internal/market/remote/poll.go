package remote

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"stoa/internal/base/errs"
)

// How often markets are asked for their timestamp: every minute, earlier or later by up to a fifth, so
// that the stoas of a market do not come together.
const (
	pollEvery  = time.Minute
	pollSpread = pollEvery / 5
)

// maxPolls is how many markets are asked at the same time.
const maxPolls = 8

// KeepPolling polls all markets about every minute, until ctx ends. It is for one process at a time.
func (s *Service) KeepPolling(ctx context.Context) {
	for {
		next := time.NewTimer(pollEvery - pollSpread + rand.N(2*pollSpread)) //nolint:gosec // no secret
		if err := s.Poll(ctx); err != nil && ctx.Err() == nil {
			s.Log.WarnContext(ctx, "markets cannot be polled", slog.Any("err", err))
		}
		select {
		case <-next.C:
		case <-ctx.Done():
			next.Stop()
			return
		}
	}
}

// Poll asks every market once whether its timestamp is still the one held, and if not, for all that is
// new. Without markets it asks nobody.
func (s *Service) Poll(ctx context.Context) error {
	list, err := s.Store.List(ctx)
	if err != nil {
		return err
	}
	var all sync.WaitGroup
	turn := make(chan struct{}, maxPolls)
	for _, m := range list {
		turn <- struct{}{}
		all.Go(func() {
			defer func() { <-turn }()
			if _, _, err := s.check(ctx, m, checkReason{}); err != nil && ctx.Err() == nil && errs.KindOf(err) != errs.NotFound {
				s.Log.WarnContext(ctx, "a market cannot be polled", slog.String("market", m.ID), slog.Any("err", err))
			}
		})
	}
	all.Wait()
	return ctx.Err()
}
