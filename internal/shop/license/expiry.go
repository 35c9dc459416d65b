package license

import (
	"context"
	"log/slog"
	"time"

	"stoa/internal/base/background"
	"stoa/internal/base/event"
)

// endsEvery is how often stoa looks for licenses that have ended. Subscribers hear of an end within 60 s
// (contract 7.4), also when one search fails.
const endsEvery = 20 * time.Second

// KeepPublishingEnds does what PublishEnds does, now and every endsEvery, until ctx ends. Several processes may
// do so at once.
func (s *Service) KeepPublishingEnds(ctx context.Context, log *slog.Logger) {
	task := background.Task{
		Every: endsEvery, Limit: endsEvery, Log: log, Failed: "licenses that have ended cannot be told to subscribers",
	}
	task.Run(ctx, s.PublishEnds)
}

// PublishEnds publishes license.expired for the licenses that have expired by now, and trial.ended too for trials. It
// publishes each end once, whatever happens in between and however many processes look for it: the transaction of the
// event records that it was published.
func (s *Service) PublishEnds(ctx context.Context) error {
	for {
		var ended []License
		err := s.Store.InTx(ctx, func(tx Store) (err error) {
			now := s.Now()
			if ended, err = tx.TakeEnded(ctx, now); err != nil {
				return err
			}
			var events []event.Event
			for _, l := range ended {
				events = append(events, l.Event(event.LicenseExpired, now))
				if l.Trial {
					events = append(events, l.Event(event.TrialEnded, now))
				}
			}
			return tx.Publish(ctx, events...)
		})
		if err != nil || len(ended) == 0 {
			return err
		}
	}
}
